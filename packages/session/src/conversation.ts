import { AbortError, type AgentEvent, SessionError, type StreamMessage, userMessage, ValidationError } from '@x/core';
import { isStreamMessage } from '@x/executor';
import type { Settings } from './assemble.ts';
import { checkCount } from './check-options.ts';
import type { SessionStore } from './log/session-store.ts';
import type { RestingState } from './resting-state.ts';
import { runSession, type SessionRun } from './run-session.ts';
import { SessionInbox } from './session-inbox.ts';
import type { SendOptions, SendOutcome, StreamOptions } from './types.ts';

const PRIORITIES: readonly unknown[] = ['now', 'next', 'later'];
const SEND_OPTIONS: readonly string[] = ['signal', 'maxTurns', 'priority'];

/** The run that a reader of `stream()` is pulling. */
interface ActiveRun {
  readonly abort: AbortController;
  readonly inbox: SessionInbox;
  readonly events: AsyncGenerator<AgentEvent, SessionRun, void>;
  /** Takes the listeners off the signals of the run's messages. */
  readonly unlink: (() => void)[];
}

export interface ConversationOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly settings: Settings;
  readonly state: RestingState;
}

/** Sending and streaming: who may, in which order, and what a reader sees. */
export class Conversation {
  readonly #options: ConversationOptions;
  #active: ActiveRun | undefined;
  #closed = false;
  /** Messages sent from here since the last run began. */
  #sent = 0;
  /** Signals of messages sent from here that no run has recorded yet. */
  #signals: Map<string, AbortSignal> | undefined;
  /** What made the last run end with an error. */
  failure: unknown;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  async send(text: string, options: SendOptions = {}): Promise<SendOutcome> {
    this.assertOpen();
    checkSend(text, options);
    const { signal, priority = 'next', maxTurns } = options;
    if (signal?.aborted) throw new AbortError('The signal was aborted before the message was sent');
    const message = userMessage(text);
    const item = { message, priority, ...(maxTurns === undefined ? {} : { maxTurns }) };
    const active = this.#active;
    if (signal) (this.#signals ??= new Map()).set(message.id, signal);
    if (active?.inbox.isOpen && priority !== 'later') {
      if (signal) this.#link(message.id, signal, active);
      await active.inbox.arrive(item);
      if (active.inbox.isOpen) return { status: 'steered', messageId: message.id };
    } else {
      const { store, sessionId } = this.#options;
      const first = !active && this.#sent++ === 0 && (await store.inbox(sessionId)).length === 0;
      await store.enqueue(sessionId, item);
      return { status: first ? 'started' : 'queued', messageId: message.id };
    }
    return { status: 'queued', messageId: message.id };
  }

  stream(options: StreamOptions = {}): AsyncGenerator<StreamMessage, void, void> {
    const reader: { active?: ActiveRun } = {};
    const events = this.#read(options, reader);
    const leave = events.return.bind(events);
    // A generator takes `return` only after the `next` that is pending, which waits for the tool or the model under way.
    events.return = (value) => {
      reader.active?.abort.abort();
      return leave(value);
    };
    return events;
  }

  async *#read(
    { includeThinking = false }: StreamOptions,
    reader: { active?: ActiveRun },
  ): AsyncGenerator<StreamMessage, void, void> {
    this.assertOpen();
    if (this.#active) throw busy(this.#options.sessionId);
    const active = this.#begin();
    reader.active = active;
    let ended = false;
    try {
      for (;;) {
        ended = true; // it is, should next() throw
        const step = await active.events.next();
        if (step.done) return this.#finish(step.value);
        ended = false;
        if (isShown(step.value, includeThinking)) yield step.value;
      }
    } finally {
      if (!ended) await this.#stop(active);
      this.#options.state.settle();
      for (const unlink of active.unlink) unlink();
      if (this.#active === active) this.#active = undefined;
      delete reader.active;
    }
  }

  /** Aborts the run under way; without one nothing happens. */
  abort(): void {
    this.#active?.abort.abort();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#active) await this.#stop(this.#active);
  }

  /** @throws SessionError `SESSION_CLOSED` */
  assertOpen(): void {
    if (!this.#closed) return;
    throw new SessionError(`Session ${this.#options.sessionId} is closed; resume it to go on`, {
      code: 'SESSION_CLOSED',
    });
  }

  #begin(): ActiveRun {
    const { store, sessionId, settings, state } = this.#options;
    const abort = new AbortController();
    const inbox = new SessionInbox(store, sessionId, (messageId) => this.#signals?.delete(messageId));
    const events = runSession({ store, sessionId, settings, abort, inbox, known: state.wake() });
    const active = { abort, inbox, events, unlink: [] };
    for (const [messageId, signal] of this.#signals ?? []) this.#link(messageId, signal, active);
    this.#sent = 0;
    this.failure = undefined;
    this.#active = active;
    return active;
  }

  /** One signal aborts one run, even when its message has to wait for the next. */
  #link(messageId: string, signal: AbortSignal, { abort, unlink }: Pick<ActiveRun, 'abort' | 'unlink'>): void {
    const onAbort = () => {
      this.#signals?.delete(messageId);
      abort.abort();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    unlink.push(() => signal.removeEventListener('abort', onAbort));
  }

  /** Aborts the run and pulls it to its end, so that every call has its answer in the log. */
  async #stop({ abort, events }: ActiveRun): Promise<void> {
    abort.abort();
    for (;;) {
      const step = await events.next();
      if (!step.done) continue;
      if (step.value) this.#finish(step.value);
      return;
    }
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

function busy(sessionId: string): SessionError {
  return new SessionError(`Session ${sessionId} is being read already; one stream() at a time`, {
    code: 'SESSION_BUSY',
  });
}

function checkSend(text: unknown, options: SendOptions): void {
  if (typeof text !== 'string' || text === '') throw new ValidationError('The message must be a text', 'message');
  const unknown = Object.keys(options).find((key) => !SEND_OPTIONS.includes(key));
  if (unknown !== undefined) {
    throw new ValidationError(`Unknown option ${unknown}; known are ${SEND_OPTIONS.join(', ')}`, unknown);
  }
  if (options.maxTurns !== undefined) checkCount(options.maxTurns, 'maxTurns');
  if (options.priority !== undefined && !PRIORITIES.includes(options.priority)) {
    throw new ValidationError(`priority must be one of ${PRIORITIES.join(', ')}`, 'priority');
  }
}
