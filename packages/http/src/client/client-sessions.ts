import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import type { SessionRow } from '../sessions/session-row.ts';
import { ClientSession } from './client-session.ts';
import type { WithSignal } from './client-tools.ts';
import { KEY, keyed } from './keyed.ts';
import type { Requests } from './requests.ts';

/** A new session. `profile` may be left out when the server has one; `message` is the first message. */
export interface CreateOptions extends WithSignal {
  readonly profile?: string;
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** 1 to 255 visible ASCII characters: requests under one key make one session. Default: a new one for each call. */
  readonly idempotencyKey?: string;
}
/** A page of sessions. `cursor`: that of the page before. */
export interface ListSessionsOptions extends WithSignal {
  readonly state?: 'idle' | 'running' | 'waiting' | 'interrupted';
  readonly cursor?: string;
  /** 1 to 100. Default: 50. */
  readonly limit?: number;
}
/** One page; without a cursor it is the last. */
export interface ListedSessions {
  readonly sessions: readonly SessionRow[];
  readonly cursor?: string;
}

const signal = is.abortSignal;
const CREATE: OptionRules<CreateOptions> = {
  profile: is.text,
  title: is.words,
  metadata: is.recordOf(is.text),
  message: is.words,
  idempotencyKey: KEY,
  signal,
};
const LIST: OptionRules<ListSessionsOptions> = {
  state: is.oneOf('idle', 'running', 'waiting', 'interrupted'),
  cursor: is.text,
  limit: is.count(1, 100),
  signal,
};
const ID = is.required(
  is.rule('the id of a session', (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(value)),
);

/** The sessions of the token's name. All methods throw HttpError, AbortError and ValidationError. */
export class ClientSessions {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /**
   * Resolves when the session is made. Asked for again while the server cannot be reached, five times at most, under the same key, so that it
   * is made once. @throws HttpError `IDEMPOTENCY_CONFLICT` when another one was asked for under `idempotencyKey`
   */
  async create(options: CreateOptions = {}): Promise<ClientSession> {
    checkOptions('Options of sessions.create', options, CREATE);
    const { idempotencyKey, signal, ...body } = options;
    const request = { method: 'POST', path: '/v1/sessions', body, signal } as const;
    const made = await keyed((headers) => this.#requests.json({ ...request, headers }), {
      key: idempotencyKey,
      signal: this.#requests.until(signal),
    });
    return this.open((made as SessionRow).sessionId); // safe: as the document has it
  }

  /** The last used first. */
  async list(options: ListSessionsOptions = {}): Promise<ListedSessions> {
    checkOptions('Options of sessions.list', options, LIST);
    const { signal, ...query } = options;
    return (await this.#requests.json({ path: '/v1/sessions', query, signal })) as ListedSessions; // safe: likewise
  }

  /** Asks nothing of the server: whether the session is there is seen by the first request. @throws ValidationError */
  open(sessionId: string): ClientSession {
    checkValue('sessionId', sessionId, ID);
    return new ClientSession(this.#requests, sessionId);
  }
}
