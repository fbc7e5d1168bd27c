import type { Message, StreamMessage } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type {
  ISession,
  PendingQuestion,
  QuestionAnswer,
  SendOptions,
  SendOutcome,
  SessionEvent,
  SessionUsage,
} from '@x/session';
import type { SessionRow } from '../sessions/session-row.ts';
import { SIGNAL, type WithSignal } from './client-tools.ts';
import { followedEvents } from './followed-events.ts';
import { KEY, keyed } from './keyed.ts';
import type { ClientRequest, Requests } from './requests.ts';
import { type RunOptions, type StreamPlace, streamedRun } from './streamed-run.ts';

/** Which messages: the newest `limit` (100 by default) before the one of the id `before`. */
export interface MessagesOptions extends WithSignal {
  readonly before?: string;
  readonly limit?: number;
}
/** Where events begin: behind the cursor `from`, or with the session. */
export interface FollowOptions extends WithSignal {
  readonly from?: string;
}
/** Options of a fork: the last message that it keeps (default: all), its title, and whether it gets the checkpoints. */
export interface ForkOptions extends WithSignal {
  readonly messageId?: string;
  readonly title?: string;
  readonly copyCheckpoints?: boolean;
}
/** Messages of a conversation; `hasMore`: there are older ones. */
export interface MessagePage {
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
}
/** Of `send` over HTTP: options of the model are the server's. */
type ClientSendOptions = Omit<SendOptions, 'modelOptions'>;
type SessionRewindOptions = Parameters<ISession['rewind']>[0];
type SessionRewindResult = Awaited<ReturnType<ISession['rewind']>>;

const signal = is.abortSignal;
const MESSAGES: OptionRules<MessagesOptions> = { before: is.text, limit: is.count(1, 1000), signal };
const EVENTS: OptionRules<FollowOptions> = { from: is.text, signal };
const STREAM: OptionRules<RunOptions> = { from: is.text, messageId: is.text, includeThinking: is.flag, signal };
const FORK: OptionRules<ForkOptions> = { messageId: is.words, title: is.words, copyCheckpoints: is.flag, signal };
const REWIND: OptionRules<SessionRewindOptions> = {
  messageId: is.required(is.words),
  files: is.flag,
  conversation: is.flag,
  dryRun: is.flag,
  force: is.flag,
  signal,
};
const SEND: OptionRules<ClientSendOptions> = {
  priority: is.oneOf('now', 'next', 'later'),
  maxTurns: is.count(),
  idempotencyKey: KEY,
  signal,
};

/** One session of a server. Holds no connection but those of its readers. All methods throw HttpError, AbortError and ValidationError. */
export class ClientSession {
  readonly sessionId: string;
  readonly #requests: Requests;
  readonly #path: string;
  readonly #place: StreamPlace = {};

  constructor(requests: Requests, sessionId: string) {
    this.#requests = requests;
    this.sessionId = sessionId;
    this.#path = `/v1/sessions/${sessionId}`;
  }

  /** Its state, dates, notes and last result. */
  async get(options: WithSignal = {}): Promise<SessionRow> {
    return await this.#plain<SessionRow>({ path: '' }, options);
  }

  /** The newest messages, in the order of the conversation. */
  async messages(options: MessagesOptions = {}): Promise<MessagePage> {
    checkOptions('Options of messages', options, MESSAGES);
    const { signal, ...query } = options;
    return await this.#ask<MessagePage>({ path: '/messages', query, signal });
  }

  /**
   * Resolves when the message is stored. Sent again while the server cannot be reached, five times at most, under the same key, so that it is
   * stored once; `duplicate` is also the outcome when an answer was lost on the way.
   */
  async send(text: string, options: ClientSendOptions = {}): Promise<SendOutcome> {
    checkOptions('Options of send', options, SEND);
    const { idempotencyKey, signal, ...how } = options;
    const request = { method: 'POST', path: '/messages', body: { text, ...how }, signal } as const;
    const sent = await keyed((headers) => this.#ask<SendOutcome>({ ...request, headers }), {
      key: idempotencyKey,
      signal: this.#requests.until(signal),
    });
    if (sent.status !== 'duplicate' || this.#place.cursor === undefined) this.#place.messageId ??= sent.messageId;
    return sent;
  }

  /**
   * Events as those of `watchSession`, over cut connections and new servers: every record once and in order. Goes on until the reader leaves,
   * `signal` is aborted, or the server refuses it. @throws HttpError `SESSION_NOT_FOUND`, `INVALID_CURSOR`, `EVENT_TOO_LARGE`
   */
  events(options: FollowOptions = {}): AsyncGenerator<SessionEvent, void, void> {
    checkOptions('Options of events', options, EVENTS);
    return this.#events(options.from, options.signal);
  }

  /**
   * One run as the in-process `stream()` tells it, up to its result: the run that takes `messageId` (default: the first message of this
   * object that was not streamed), otherwise the next one behind what this object has streamed, also when it is still to come. Leaving early
   * leaves the run alone. @throws as `events`; AbortError when `signal` is aborted before the result
   */
  stream(options: RunOptions = {}): AsyncGenerator<StreamMessage, void, void> {
    checkOptions('Options of stream', options, STREAM);
    const signal = this.#requests.until(options.signal);
    const source = {
      place: this.#place,
      signal,
      events: (from: string | undefined, until: AbortSignal) => this.#events(from, until),
      questions: async () => {
        const some = signal ? { signal } : {};
        return (await this.get(some)).state === 'waiting' ? await this.questions(some) : [];
      },
    };
    return streamedRun(source, options);
  }

  /** Ends the open run, whoever runs it; false when none was open. */
  async abort(options: WithSignal = {}): Promise<{ readonly aborted: boolean }> {
    return await this.#plain<{ readonly aborted: boolean }>({ method: 'POST', path: '/abort' }, options);
  }

  /** A new session with the history of this one. Not repeated: after `CONNECTION_FAILED` it may have been made. */
  async fork(options: ForkOptions = {}): Promise<ClientSession> {
    checkOptions('Options of fork', options, FORK);
    const { signal, ...body } = options;
    const { sessionId } = await this.#ask<SessionRow>({ method: 'POST', path: '/fork', body, signal });
    return new ClientSession(this.#requests, sessionId);
  }

  /** Goes back to before a message of the user: files, conversation or both. @throws HttpError `SESSION_BUSY`, `MESSAGE_NOT_FOUND` */
  async rewind(options: SessionRewindOptions): Promise<SessionRewindResult> {
    checkOptions('Options of rewind', options, REWIND);
    const { signal, ...body } = options;
    return await this.#ask<SessionRewindResult>({ method: 'POST', path: '/rewind', body, signal });
  }

  /** The questions that wait for an answer, the oldest first. */
  async questions(options: WithSignal = {}): Promise<readonly PendingQuestion[]> {
    const path = '/questions';
    return (await this.#plain<{ readonly questions: readonly PendingQuestion[] }>({ path }, options)).questions;
  }

  /** Answers a question; the run goes on at that call. @throws HttpError `QUESTION_NOT_OPEN`, `QUESTION_ANSWERED`, `QUESTION_EXPIRED` */
  async answer(callId: string, answer: QuestionAnswer, options: WithSignal = {}): Promise<void> {
    await this.#plain<undefined>(
      { method: 'POST', path: '/answers', body: { callId, answer }, isEmpty: true },
      options,
    );
  }

  /** Every model call of the session, and their sum. */
  async usage(options: WithSignal = {}): Promise<SessionUsage> {
    return await this.#plain<SessionUsage>({ path: '/usage' }, options);
  }

  /** Aborts the run and waits for its end; a later message opens the session again. Readers go on until they leave. */
  async close(options: WithSignal = {}): Promise<void> {
    await this.#plain<undefined>({ method: 'POST', path: '/close', isEmpty: true }, options);
  }

  /** Removes the session with all that belongs to it. @throws HttpError `SESSION_BUSY` while it is run */
  async delete(options: WithSignal = {}): Promise<void> {
    await this.#plain<undefined>({ method: 'DELETE', path: '', isEmpty: true }, options);
  }

  #events(from: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<SessionEvent, void, void> {
    return followedEvents(this.#requests, { path: `${this.#path}/events`, from, signal });
  }

  /** A request whose only option is a signal. */
  async #plain<Answer>(request: ClientRequest, options: WithSignal): Promise<Answer> {
    checkOptions('Options of a request', options, SIGNAL);
    return await this.#ask<Answer>({ ...request, signal: options.signal });
  }

  async #ask<Answer>(request: ClientRequest): Promise<Answer> {
    return (await this.#requests.json({ ...request, path: `${this.#path}${request.path}` })) as Answer; // safe: as the document has it
  }
}
