import type { Message, Question } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { EntryBody } from '../log/entry.ts';
import { apply, emptyState } from '../log/fold.ts';
import { readBody } from '../log/large-body.ts';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { openQuestions } from '../questions/open-questions.ts';
import { STORE } from '../store/using-store.ts';
import { cursorsOf } from './cursor.ts';
import type { SessionEvent } from './session-event.ts';
import { eventsOf, type WatchOptions } from './watch-session.ts';

/** Selects the run to follow. `from`: what an interface has already, by the cursor in the metadata of its message that goes on. */
export interface RunStreamOptions extends WatchOptions {
  readonly store: SessionStore;
  /** The message that the run answers, as `send` has returned it. */
  readonly messageId?: string;
}

const OPTIONS: OptionRules<RunStreamOptions> = {
  store: is.required(STORE),
  sessionId: is.required(is.text),
  from: is.text,
  messageId: is.text,
  signal: is.abortSignal,
};
/** Entries that are looked at first for the beginning of the last run. */
const BACK = 64;

/** Makes the chunks of one run for an interface, that of the first run it is given an event of. */
export interface RunTranslator<Chunk> {
  readonly hasEnded: boolean;
  /** True from the moment on in which the run has nothing to do before an answer. */
  readonly isWaiting: boolean;
  /** Called first for an interface that knows nothing yet: the conversation before the run. */
  beginWith?(history: readonly Message[]): void;
  chunksOf(event: SessionEvent): Chunk[];
  /** The last chunks; with this event the run has ended, or waits for answers to these questions. */
  end(event: SessionEvent, questions: readonly Question[]): Chunk[];
}

/**
 * The chunks of one run, whoever runs it: the one that takes the message `messageId`, or the first one behind `from`, either also when it is
 * still to come; without both the last one, from its beginning. Ends with the run, or when that waits; cancelling it leaves the run alone.
 * Fails with the errors of `watchSession`. @throws ValidationError
 */
export function runStream<Chunk>(
  options: RunStreamOptions,
  newTranslator: () => RunTranslator<Chunk>,
): ReadableStream<Chunk> {
  checkOptions('The options', options, OPTIONS);
  const { store, sessionId, from, messageId, signal } = options;
  let run = newTranslator();
  /** The chunks of a run that has not taken the message yet. */
  let held: Chunk[] | undefined = messageId === undefined ? undefined : [];
  let events: AsyncGenerator<SessionEvent, void, void> | undefined;
  return new ReadableStream<Chunk>({
    async start() {
      const begin = from ?? (await runIn(store, sessionId, messageId));
      if (from === undefined && messageId === undefined)
        run.beginWith?.(begin === undefined ? [] : await conversationUpTo(store, sessionId, begin));
      events = eventsOf(() => ({ store, sessionId, from: begin, signal }));
    },
    async pull(controller) {
      for (;;) {
        const step = await events!.next(); // begun by `start`
        if (step.done) return controller.close();
        let chunks = run.chunksOf(step.value);
        // A run that has waited in the past, and was continued, goes on behind it.
        const questions = run.isWaiting ? await questionsAfter(store, step.value) : undefined;
        const isOver = run.hasEnded || questions !== undefined;
        if (isOver) chunks.push(...run.end(step.value, questions ?? []));
        if (held) {
          held.push(...chunks);
          if (takes(step.value, messageId) || questions) {
            chunks = held;
            held = undefined;
          } else {
            if (isOver) [run, held] = [newTranslator(), []];
            continue;
          }
        }
        for (const chunk of chunks) controller.enqueue(chunk);
        if (isOver) {
          await events!.return();
          return controller.close();
        }
        if (chunks.length > 0) return;
      }
    },
    cancel: async () => {
      await events?.return();
    },
  });
}

/** The open questions of a run that waits; undefined when somebody has gone on with it after this event. */
async function questionsAfter(
  store: SessionStore,
  { sessionId, cursor }: SessionEvent,
): Promise<Question[] | undefined> {
  const after = (await cursorsOf(store, sessionId)).read(cursor);
  for await (const { body } of store.read(sessionId, { after })) {
    if (body?.type === 'run_resumed' || body?.type === 'run_ended') return undefined;
  }
  return openQuestions(await readState(store, sessionId));
}

async function conversationUpTo(store: SessionStore, sessionId: string, cursor: string): Promise<readonly Message[]> {
  const state = emptyState();
  const upTo = (await cursorsOf(store, sessionId)).read(cursor);
  for await (const { body } of store.read(sessionId, { upTo })) apply(state, await readBody(store, sessionId, body));
  return state.scopes.get('')?.messages ?? [];
}

function takes({ event }: SessionEvent, messageId: string | undefined): boolean {
  return (event.type === 'user_message' || event.type === 'run_started') && event.messageId === messageId;
}

function isMessage(body: EntryBody, messageId: string | undefined): boolean {
  return body?.type === 'record' && body.record.type === 'message' && body.record.message.id === messageId;
}

/** The cursor before the last run of the log that may take this message; undefined when it has none. */
async function runIn(store: SessionStore, sessionId: string, messageId?: string): Promise<string | undefined> {
  const { head } = await readState(store, sessionId);
  const inbox = messageId === undefined ? [] : await store.inbox(sessionId);
  const isToCome = messageId === undefined || inbox.some(({ message }) => message.id === messageId);
  for (let back = BACK; ; back *= 8) {
    const after = Math.max(0, head - back);
    let start: number | undefined;
    let isFound = isToCome;
    for await (const { seq, body } of store.read(sessionId, { after })) {
      if (body?.type === 'run_started') start = seq;
      isFound ||= isMessage(await readBody(store, sessionId, body), messageId);
      if (isFound && !isToCome) break;
    }
    if (start !== undefined && isFound) return (await cursorsOf(store, sessionId)).at(start - 1);
    if (after === 0) return undefined;
  }
}
