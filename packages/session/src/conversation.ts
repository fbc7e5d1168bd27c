import { AbortError, type AgentEvent, SessionError, type StreamMessage, userMessage } from '@x/core';
import { leaveAtOnce, readToEnd } from '@x/core/streams';
import { checkOptions } from '@x/errors/option-rules';
import { isStreamMessage } from '@x/executor/internal';
import { expandMessage } from './commands/expand-message.ts';
import type { DiagnosisCheck } from './diagnose/diagnosis.ts';
import { feedOf } from './follow/feed.ts';
import { busy } from './log/ownership.ts';
import type { SessionLog } from './log/session-log.ts';
import type { InboxItem, SessionStore } from './log/session-store.ts';
import { type Patience, SlowStretch, whileSlow } from './log/slow-store.ts';
import { checkText } from './options/check-options.ts';
import { SEND, STREAM } from './options/known-options.ts';
import type { SendOptions, SendOutcome, StreamOptions } from './options/types.ts';
import type { Settings } from './run/assemble.ts';
import { MessageSignals } from './run/message-signals.ts';
import type { RestingState } from './run/resting-state.ts';
import { runSession, type SessionRun } from './run/run-session.ts';
import { SessionInbox } from './run/session-inbox.ts';
import { type Notice, storeSlow } from './run/store-slow.ts';
import type { SessionFacts } from './run/title-and-metadata.ts';

const MAX_NOTICES = 50;
/** Milliseconds that `send` waits for a slow store. */
const SEND_PATIENCE_MS = 30_000;

/** Leaves the run of a reader that was garbage-collected in the middle of it; a run holds no reference to what `stream()` returns. */
const dropped = new FinalizationRegistry<() => void>((leave) => leave());

/** The run that a reader of `stream()` is pulling. */
interface ActiveRun {
  readonly abort: AbortController;
  readonly inbox: SessionInbox;
  readonly events: AsyncGenerator<AgentEvent, SessionRun, void>;
  /** Its log, once it is open. */
  readonly written: { log?: SessionLog };
  /** Set when somebody other than the reader pulls the run to its end: resolves with the events that the reader has not seen. */
  stopping?: Promise<readonly AgentEvent[]>;
}

/** A reader that pulls a run. */
interface Reader {
  readonly retries: boolean;
  active?: ActiveRun;
}

export interface ConversationOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly settings: Settings;
  readonly state: RestingState;
  readonly facts: SessionFacts;
}

/** Sends and streams: decides who may, in which order, and what a reader sees. */
export class Conversation {
  readonly #options: ConversationOptions;
  #active: ActiveRun | undefined;
  #closed = false;
  readonly #signals = new MessageSignals();
  /** True when a message was sent from here since the last run began. */
  #hasSent = false;
  /** Resolves when the last message sent has arrived, or has failed to. */
  #sending: Promise<void> | undefined;
  /** The error that ended the last run. */
  failure: unknown;
  /** Notices that `stream()` does not carry, newest last; created with the first one. */
  #notices: Map<string, DiagnosisCheck> | undefined;
  readonly #slow: SlowStretch = new SlowStretch((error) => this.note(storeSlow(this.#options.sessionId, error)));

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  async send(text: string, options: SendOptions = {}): Promise<SendOutcome> {
    this.assertOpen();
    checkSend(text, options);
    const { signal, maxTurns } = options;
    if (signal?.aborted) throw new AbortError('The signal was aborted before the message was sent');
    const sent = expandMessage(text, this.#options.settings.commandDirectories);
    const message = userMessage(sent.text);
    const command = sent.command ? { command: sent.command } : {};
    // A command to the session cannot join a run.
    const priority = sent.command ? 'later' : (options.priority ?? 'next');
    const item = { message, priority, ...command, ...(maxTurns === undefined ? {} : { maxTurns }) };
    const limit = performance.now() + SEND_PATIENCE_MS;
    const patience = { until: () => limit, signal, stretch: this.#slow };
    if (signal) this.#signals.add(message.id, signal);
    try {
      const status = await this.#inTurn(() => this.#deliver(item, patience));
      this.#signals.stored(message.id);
      return { status, messageId: message.id };
    } catch (error) {
      this.#signals.refused(message.id);
      this.#hasSent = false; // looked at again
      throw error;
    }
  }

  /** `retries`: runs again what a failed run was asked. */
  stream(options: StreamOptions = {}, retries = false): AsyncGenerator<StreamMessage, void, void> {
    const reader: Reader = { retries };
    const events = this.#read(options, reader);
    dropped.register(events, this.#leaver(reader), reader);
    return leaveAtOnce(events, () => reader.active?.abort.abort());
  }

  async *#read(options: StreamOptions, reader: Reader): AsyncGenerator<StreamMessage, void, void> {
    this.assertOpen();
    checkOptions('The options', options, STREAM);
    const { includeThinking = false } = options;
    await this.#sending; // what was sent before is part of the run
    this.assertOpen();
    const { store, sessionId } = this.#options;
    if (this.#active) throw await busy(store, sessionId, 'is being read already; one stream() at a time');
    const active = this.#begin(reader.retries);
    reader.active = active;
    let ended = false;
    try {
      for (;;) {
        if (active.stopping) {
          for (const event of await active.stopping) if (isShown(event, includeThinking)) yield event;
          return;
        }
        ended = true; // it is, should next() throw
        const step = await active.events.next();
        if (step.done) return this.#finish(step.value);
        ended = false;
        this.#tell(step.value, active);
        if (isShown(step.value, includeThinking)) yield step.value;
        else if (step.value.type === 'notification') this.note(step.value);
      }
    } finally {
      dropped.unregister(reader); // it would hold what the reader was part of
      await this.#leave(active, ended);
      delete reader.active;
    }
  }

  /** A function apart from `stream`: a closure there would keep the reader alive. */
  #leaver(reader: Readonly<Reader>): () => void {
    return () => {
      if (reader.active) this.#leave(reader.active).catch(() => undefined); // nobody is left to be told
    };
  }

  async #leave(active: ActiveRun, ended = false): Promise<void> {
    if (!ended) await this.#stop(active);
    this.#options.state.settle();
    this.#signals.end();
    feedOf(this.#options.store, this.#options.sessionId)?.runEnded(active.written.log?.state.head ?? 0);
    if (this.#active === active) this.#active = undefined;
  }

  /** True while a run is under way here. */
  get isReading(): boolean {
    return this.#active !== undefined;
  }

  /** The last 50 different notifications of runs read here, which their streams do not carry. */
  get notices(): readonly DiagnosisCheck[] {
    return [...(this.#notices?.values() ?? [])];
  }

  note({ kind, message }: Notice): void {
    const notices = (this.#notices ??= new Map());
    const key = `${kind} ${message}`;
    notices.delete(key);
    notices.set(key, { name: kind, status: 'warning', detail: message });
    if (notices.size > MAX_NOTICES) {
      const [oldest = ''] = notices.keys();
      notices.delete(oldest);
    }
  }

  /** Aborts the run under way, if any. */
  abort(): void {
    this.#active?.abort.abort();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#active) await this.#stop(this.#active);
    await this.#options.facts.settled();
  }

  /** @throws SessionError `SESSION_CLOSED` */
  assertOpen(): void {
    if (!this.#closed) return;
    throw new SessionError(`Session ${this.#options.sessionId} is closed; resume it to go on`, {
      code: 'SESSION_CLOSED',
    });
  }

  #begin(retries: boolean): ActiveRun {
    const { store, sessionId, state } = this.#options;
    const abort = new AbortController();
    const inbox = new SessionInbox({
      store,
      sessionId,
      signal: abort.signal,
      onDelivered: (messageId) => this.#signals.recorded(messageId),
      onWaiting: (messageIds) => this.#signals.prune(messageIds),
    });
    const onNotice = (notice: Notice) => this.note(notice);
    const written: ActiveRun['written'] = {};
    const onOpened = (log: SessionLog) => void (written.log = log);
    const events = runSession({ ...this.#options, retries, abort, inbox, known: state, onNotice, onOpened });
    const active: ActiveRun = { abort, inbox, events, written };
    this.#signals.begin(abort);
    this.#hasSent = false;
    this.failure = undefined;
    this.#active = active;
    return active;
  }

  /** Delivers messages in the order in which they are sent, even when the caller does not await one before the next. */
  async #inTurn<T>(deliver: () => Promise<T>): Promise<T> {
    const before = this.#sending;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sending = promise;
    try {
      if (before) await before;
      return await deliver();
    } finally {
      if (this.#sending === promise) this.#sending = undefined;
      resolve();
    }
  }

  /** Stores a message and returns its status. */
  async #deliver(item: InboxItem, patience: Patience): Promise<SendOutcome['status']> {
    const { store, sessionId } = this.#options;
    const enqueue = () => whileSlow(() => store.enqueue(sessionId, item), patience);
    const isFirst = !this.#active && (await this.#isFirst());
    const active = this.#active; // a run may have begun meanwhile
    if (active?.inbox.isOpen && item.priority !== 'later') {
      return (await active.inbox.arrive(item, enqueue)) ? 'steered' : 'queued';
    }
    await enqueue();
    return isFirst && !active ? 'started' : 'queued';
  }

  /**
   * True when no message waits. Skips the store when a message from here is known to wait, unless another reader may have voided its
   * signal.
   */
  async #isFirst(): Promise<boolean> {
    if (this.#hasSent && this.#signals.isIdle) return false;
    this.#hasSent = true;
    const { store, sessionId } = this.#options;
    const waiting = await store.inbox(sessionId);
    this.#signals.prune(waiting.map(({ message }) => message.id));
    return waiting.length === 0;
  }

  /** Aborts the run and pulls it to its end, so that every call has its answer in the log. */
  async #stop(active: ActiveRun): Promise<void> {
    active.abort.abort();
    await (active.stopping ??= this.#pullOut(active));
  }

  /** Events that a reader which is still there has not seen. */
  async #pullOut(active: ActiveRun): Promise<readonly AgentEvent[]> {
    const { events } = active;
    const unseen: AgentEvent[] = [];
    const see = (event: AgentEvent) => {
      this.#tell(event, active);
      unseen.push(event);
    };
    this.#finish(await readToEnd(events, see));
    return unseen;
  }

  /** Hands an event to those who follow the session. */
  #tell(event: AgentEvent, { written }: ActiveRun): void {
    const { store, sessionId } = this.#options;
    feedOf(store, sessionId)?.tell(event, written.log?.begun ?? 0);
  }

  /** Undefined when somebody else has pulled the run to its end. */
  #finish(run: SessionRun | undefined): void {
    if (!run) return;
    this.failure = run.failure;
    this.#options.state.rest(run.state);
  }
}

function isShown(event: AgentEvent, includeThinking: boolean): event is StreamMessage {
  return isStreamMessage(event) && (event.type !== 'thinking' || includeThinking);
}

function checkSend(text: unknown, options: SendOptions): void {
  checkText(text);
  checkOptions('The options', options, SEND);
}
