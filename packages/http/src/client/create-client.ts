import { LONGEST_TIMER_MS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { ClientSessions } from './client-sessions.ts';
import { ClientTools } from './client-tools.ts';
import { Requests } from './requests.ts';

/** Options of a client. */
export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:3000`; with a path where its app is mounted. */
  readonly baseUrl: string;
  readonly token?: string;
  /** Sends the requests. Default: the global `fetch`, as it is at each request. */
  readonly fetch?: typeof globalThis.fetch;
  /** Ends all requests and streams of the client. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds after which a stream on which nothing comes, not even a sign of life, is connected again. More than the server's `heartbeatMs`.
   * Default: 45000.
   */
  readonly silenceMs?: number;
}
/** A server as an object. Holds nothing open but what is being read: there is nothing to close. */
export interface Client {
  readonly tools: ClientTools;
  readonly sessions: ClientSessions;
}

const OPTIONS: OptionRules<ClientOptions> = {
  baseUrl: is.required(
    is.rule('the address of a server: http or https, without a query, a user or a fragment', isBase),
  ),
  token: is.secret(
    is.rule('a text of visible ASCII characters', (value) => typeof value === 'string' && /^[!-~]+$/.test(value)),
  ),
  fetch: is.callback,
  signal: is.abortSignal,
  silenceMs: is.count(1, LONGEST_TIMER_MS),
};

/** Makes a typed client of the API, for browsers and Node. @throws ValidationError */
export function createClient(options: ClientOptions): Client {
  checkOptions('Options of createClient', options, OPTIONS);
  const requests = new Requests(is.given(options, OPTIONS));
  return { tools: new ClientTools(requests), sessions: new ClientSessions(requests) };
}

function isBase(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return (
    url !== null && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}${url.username}${url.password}` === ''
  );
}
