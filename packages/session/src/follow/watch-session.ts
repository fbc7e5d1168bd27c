import { sleep } from '@x/core';
import { leaveAtOnce } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { EntryBody } from '../log/entry.ts';
import { pagesIn } from '../log/entry-pages.ts';
import type { SessionStore } from '../log/session-store.ts';
import { isRetryable } from '../log/slow-store.ts';
import { STORE_OPTIONS, type StoreOptions, usedStore } from '../store/using-store.ts';
import { type Cursors, cursorsOf, invalidCursor } from './cursor.ts';
import { type Feed, joinFeed, wholeEntry } from './feed.ts';
import type { SessionEvent } from './session-event.ts';
import { Teller } from './teller.ts';

/** Where a reader begins, and when it ends. */
export interface EventsOptions {
  /** The `cursor` of the last event that was read, by any reader in any process. Default: the beginning of the log. */
  from?: string;
  /** Ends the events; without it they go on until the reader leaves. */
  signal?: AbortSignal;
}
/** Selects the session to follow. */
export interface WatchOptions extends EventsOptions, StoreOptions {
  readonly sessionId: string;
}

export const EVENTS: OptionRules<EventsOptions> = { from: is.text, signal: is.abortSignal };
const WATCH: OptionRules<WatchOptions> = { ...STORE_OPTIONS, ...EVENTS, sessionId: is.required(is.text) };

/** Entries that are looked at first for the beginning of the run in which a reader begins. */
const BACK = 64;
/** Milliseconds until a slow store is asked again. */
const PAUSE_MS = 250;

/**
 * The events of a session, from any process, while anybody runs it or nobody: first what the log holds, then what comes. Every record of
 * the log after `from` is told exactly once and in order, whoever writes it. Live events (pieces of a reply, progress) are told while a run
 * goes on in this process and may be missed; what they amount to is in the record that follows. Needs no lease, and neither drives, slows
 * nor ends a run; a reader that is slower than the run goes on from the log. Ends when `signal` is aborted; leaving the loop frees what it
 * holds. @throws ValidationError, SessionError `SESSION_NOT_FOUND` (also when the session is deleted meanwhile), `INVALID_CURSOR`
 */
export function watchSession(options: WatchOptions): AsyncGenerator<SessionEvent, void, void> {
  return eventsOf(() => {
    checkOptions('The options', options, WATCH);
    const { from, signal, sessionId } = options;
    const used = usedStore(options);
    return { from, signal, sessionId, store: used.store, close: () => used[Symbol.asyncDispose]() };
  });
}

/** What is followed. */
interface Following {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly from: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called when the reader has left. */
  readonly close?: () => PromiseLike<void>;
}
/** `watchSession` on an open store; `begin` is called with the first step. */
export function eventsOf(begin: () => Following): AsyncGenerator<SessionEvent, void, void> {
  const leaving = new AbortController();
  return leaveAtOnce(newEvents(begin, leaving.signal), () => leaving.abort());
}

/** One generator: each around it would cost every event. */
async function* newEvents(begin: () => Following, left: AbortSignal): AsyncGenerator<SessionEvent, void, void> {
  const following = begin();
  const { store, sessionId, close } = following;
  const signal = following.signal ? AbortSignal.any([following.signal, left]) : left;
  let feed: Feed | undefined;
  let isOver = signal.aborted; // asked several times for each event, where a signal of two costs more than the event
  const end = () => {
    isOver = true;
    feed?.stir();
  };
  signal.addEventListener('abort', end);
  try {
    const cursors = await cursorsOf(store, sessionId);
    let seq = following.from === undefined ? 0 : cursors.read(following.from);
    let teller: Teller | undefined;
    feed = joinFeed(store, sessionId);
    while (!isOver) {
      try {
        teller ??= await tellerAfter(seq, following, cursors);
        for await (const page of pagesIn(store.read(sessionId, { after: seq }))) {
          for (const entry of page) {
            if (isOver) return;
            const whole = entry.body?.type === 'blob' ? await wholeEntry(store, sessionId, entry) : entry;
            seq = entry.seq;
            for (const event of teller.tell(whole)) yield event;
          }
        }
      } catch (error) {
        if (!isRetryable(error)) throw error;
        await sleep(PAUSE_MS, signal).catch(() => undefined);
        continue;
      }
      const joined = feed.next;
      const begunBefore = feed.repliesUnderWay;
      let place = feed.placeAfter(seq, teller);
      if (place !== undefined) teller = undefined; // it may be the feed's now
      while (place !== undefined && !isOver) {
        const item = feed.item(place);
        if (item === 'missed') break;
        if (item === undefined) {
          await feed.more();
          continue;
        }
        place += 1;
        // A live event from before it came may be one that it was told: it has the cursor of the entry before.
        if (item.after !== seq || (item.seq === seq && place <= joined)) continue;
        seq = item.seq;
        for (const event of item.events) if (!isPieceOf(begunBefore, event)) yield event;
      }
    }
  } finally {
    signal.removeEventListener('abort', end);
    feed?.leave();
    await close?.();
  }
}

/** Pieces of a text are told from its beginning on, without a gap, or not at all: the message has it all. */
function isPieceOf(replies: ReadonlySet<string>, { messageId, event }: SessionEvent): boolean {
  return messageId !== undefined && event.type !== 'message' && replies.has(messageId);
}

/** Makes the events of the entries after `seq`; it is given the run that is under way there. @throws SessionError `INVALID_CURSOR` */
async function tellerAfter(seq: number, { store, sessionId }: Following, cursors: Cursors): Promise<Teller> {
  const teller = new Teller(sessionId, cursors);
  for (let back = BACK; seq > 0; back *= 8) {
    const after = Math.max(0, seq - back);
    const entries = (await Array.fromAsync(pagesIn(store.read(sessionId, { after, upTo: seq })))).flat();
    if ((entries.at(-1)?.seq ?? 0) !== seq) throw invalidCursor(sessionId, `the log has no entry ${seq}`);
    const start = entries.findLastIndex(({ body }) => typeOf(body) === 'run_started' || typeOf(body) === 'run_ended');
    if (start < 0 && after > 0) continue;
    for (const entry of entries.slice(Math.max(start, 0))) teller.tell(await wholeEntry(store, sessionId, entry));
    break;
  }
  return teller;
}

/** A damaged log may hold anything, null too. */
function typeOf(body: EntryBody | null): string | undefined {
  return body?.type;
}
