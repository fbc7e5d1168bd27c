import { AgentError, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { appUntil } from './create-app.ts';
import type { HttpOptions } from './settings/http-options.ts';

/** A request to `inject`. */
export interface InjectedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or bytes as they are; any other value as JSON. */
  readonly payload?: unknown;
}

/** The answer of `inject`. */
export interface InjectedAnswer {
  readonly statusCode: number;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** @throws SyntaxError when the body is not JSON */
  // oxlint-disable-next-line no-explicit-any -- as callers of other `inject`s know it
  json(): any;
}

/** The routes without a port. */
export interface InjectableServer extends AsyncDisposable {
  /** @throws AgentError `SERVER_CLOSED` after `close` */
  inject(request: InjectedRequest): Promise<InjectedAnswer>;
  /** Ends the calls that still run, and waits for their answers. */
  close(): Promise<void>;
}

const INJECT: OptionRules<InjectedRequest> = {
  method: is.required(is.filledText),
  url: is.required(is.rule('a path that begins with /', (value) => typeof value === 'string' && value.startsWith('/'))),
  headers: is.recordOf(is.text),
  payload: is.anything,
};

/** The same routes as those of `createApp`, for tests and for programs in this process. @throws ValidationError for invalid options */
export async function createServer(options: HttpOptions = {}): Promise<InjectableServer> {
  const closing = new AbortController();
  const app = appUntil(options, closing.signal);
  await options.sessions?.start();
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  async function inject(given: InjectedRequest): Promise<InjectedAnswer> {
    if (isClosed) throw new AgentError('The server is closed', 'SERVER_CLOSED', 503);
    const ending = new AbortController(); // of its own: a request leaves its listeners on a signal behind
    const answering = answerTo(app, requestOf(given, ending.signal));
    running.set(ending, answering);
    return await answering.finally(() => running.delete(ending));
  }
  async function close(): Promise<void> {
    isClosed = true;
    const answers = [...running.values()];
    closing.abort();
    for (const ending of running.keys()) ending.abort();
    await Promise.allSettled(answers);
    await options.sessions?.close();
  }
  return { inject, close, [Symbol.asyncDispose]: close };
}

/** @throws ValidationError for what is no request */
function requestOf(given: InjectedRequest, signal: AbortSignal): Request {
  checkOptions('An injected request', given, INJECT);
  const { method, url, headers = {}, payload } = given;
  const isText = typeof payload === 'string' || payload instanceof Uint8Array || payload === undefined;
  const type = isText ? {} : { 'content-type': 'application/json' };
  const body = isText ? payload : JSON.stringify(payload);
  try {
    return new Request(`http://localhost${url}`, {
      method,
      headers: { ...type, ...headers },
      signal,
      ...(body === undefined ? {} : { body: body as string }), // safe: a text, or bytes, which it takes too
    });
  } catch (error) {
    throw Object.assign(new ValidationError('An injected request must be one that fetch would send'), { cause: error });
  }
}

async function answerTo(app: ReturnType<typeof appUntil>, request: Request): Promise<InjectedAnswer> {
  const answer = await app.fetch(request);
  const body = await answer.text();
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body,
    json: () => JSON.parse(body),
  };
}
