import { type AgentEvent, isAgentError, type ModelOptions, SessionError, type StreamMessage } from '@x/core';
import { messageOf } from '@x/core/internal';
import { leaveAtOnce, readToEnd } from '@x/core/streams';
import { checkOptions } from '@x/errors/option-rules';
import { isStreamMessage } from '@x/executor/internal';
import type { DiagnosisCheck } from './diagnose/diagnosis.ts';
import { Followers } from './follow/followers.ts';
import { busy } from './log/ownership.ts';
import type { SessionLog } from './log/session-log.ts';
import type { SessionStore } from './log/session-store.ts';
import { SlowStretch } from './log/slow-store.ts';
import { STREAM } from './options/known-options.ts';
import type { SendOptions, SendOutcome, StreamOptions } from './options/types.ts';
import type { UserContent } from './options/user-content.ts';
import { withdrawQuestions } from './questions/withdraw-questions.ts';
import { admitSessionOptions } from './run/admitted-options.ts';
import type { Settings } from './run/assemble.ts';
import { Notices } from './run/notices.ts';
import type { RestingState } from './run/resting-state.ts';
import { runSession, type SessionRun } from './run/run-session.ts';
import { Sender } from './run/sender.ts';
import { SessionInbox } from './run/session-inbox.ts';
import { type Notice, storeSlow } from './run/store-slow.ts';
import type { SessionFacts } from './run/title-and-metadata.ts';

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

/** Decides who may send and read, which run is under way, and what its reader sees. */
export class Conversation {
  readonly #options: ConversationOptions;
  #active: ActiveRun | undefined;
  /** Counts aborts that came while no run was under way: they are for a run that is about to begin. */
  #earlyAborts = 0;
  #closed = false;
  /** The error that ended the last run. */
  failure: unknown;
  /** Those that `stream()` does not carry. */
  readonly #notices = new Notices();
  /** The end of a run that waited for answers and was aborted. */
  #withdrawing: Promise<void> | undefined;
  readonly #slow: SlowStretch;
  readonly #sender: Sender;
  readonly #followers: Followers;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#followers = new Followers(options.store, options.sessionId);
    this.#slow = new SlowStretch((error) => this.note(storeSlow(options.sessionId, error)));
    const admit = (asked: ModelOptions) => admitSessionOptions(options.settings, asked);
    this.#sender = new Sender({ ...options, admit, slow: this.#slow, inbox: () => this.#active?.inbox });
  }

  async send(message: string | readonly UserContent[], options: SendOptions = {}): Promise<SendOutcome> {
    this.assertOpen();
    return await this.#sender.send(message, options);
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
    const abortsBefore = this.#earlyAborts;
    await this.#sender.settled(); // what was sent before is part of the run
    while (this.#withdrawing) await this.#withdrawing; // an abort may come until the run is begun, below
    this.assertOpen();
    const { store, sessionId } = this.#options;
    if (this.#active) throw await busy(store, sessionId, 'is being read already; one stream() at a time');
    const active = this.#begin(reader.retries);
    reader.active = active;
    if (this.#earlyAborts > abortsBefore) active.abort.abort();
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
    this.#sender.signals.end();
    this.#followers.runEnded(active.written.log?.state.head ?? 0);
    if (this.#active === active) this.#active = undefined;
  }

  /** True while a run is under way here. */
  get isReading(): boolean {
    return this.#active !== undefined;
  }

  /** Notifications of runs read here, which their streams do not carry. */
  get notices(): readonly DiagnosisCheck[] {
    return this.#notices.checks;
  }

  note(notice: Notice): void {
    this.#notices.add(notice);
  }

  /** Aborts the run under way; one that waits for answers is ended in the background. */
  abort(): void {
    if (this.#active) return this.#active.abort.abort();
    this.#earlyAborts += 1;
    if (!this.#closed) this.#withdrawing ??= this.#withdraw().finally(() => (this.#withdrawing = undefined));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#withdrawing;
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
      onDelivered: (messageId) => this.#sender.signals.recorded(messageId),
      onWaiting: (messageIds) => this.#sender.signals.prune(messageIds),
    });
    const onNotice = (notice: Notice) => this.note(notice);
    const written: ActiveRun['written'] = {};
    const onOpened = (log: SessionLog) => void (written.log = log);
    const followers = this.#followers;
    followers.expect();
    const events = runSession({ ...this.#options, retries, abort, inbox, followers, known: state, onNotice, onOpened });
    const active: ActiveRun = { abort, inbox, events, written };
    this.#sender.begin(abort);
    this.failure = undefined;
    this.#active = active;
    return active;
  }

  /** Aborts the run and pulls it to its end, so that every call has its answer in the log. */
  async #stop(active: ActiveRun): Promise<void> {
    active.abort.abort();
    await (active.stopping ??= this.#pullOut(active));
  }

  /** Never fails: who cannot be told now finds it among the notices. */
  async #withdraw(): Promise<void> {
    const { store, sessionId, facts } = this.#options;
    try {
      await withdrawQuestions(store, sessionId, {
        append: (bodiesFor) => facts.recordAll(bodiesFor),
        stretch: this.#slow,
      });
    } catch (error) {
      if (isAgentError(error) && error.code === 'SESSION_NOT_FOUND') return;
      const message = `The questions of session ${sessionId} could not be withdrawn: ${messageOf(error)}`;
      this.note({ type: 'notification', kind: 'abort_failed', message });
    }
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
    this.#followers.tell(event, written.log);
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
