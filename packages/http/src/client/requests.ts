import { isRecord, messageOf, ValidationError } from '@x/errors';
import { connectionError, errorOfAnswer, HttpError, invalidAnswer, parsed } from './http-error.ts';

/** One request; its path begins with a slash. */
export interface ClientRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Its answer is 204, which no other one may be. */
  readonly isEmpty?: true;
}
/** Where requests go, and how. */
export interface Target {
  readonly baseUrl: string;
  readonly token?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  readonly silenceMs?: number;
}

/** Three signs of life of a server with its default. */
const SILENCE_MS = 45_000;

/** Sends the requests of a client. All methods throw HttpError, AbortError and ValidationError. */
export class Requests {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = { ...target, baseUrl: target.baseUrl.replace(/\/+$/, '') };
  }

  /** Milliseconds without a byte after which a stream is connected again. */
  get silenceMs(): number {
    return this.#target.silenceMs ?? SILENCE_MS;
  }

  /** The JSON of an answer; undefined for 204. What only reads is asked again once: a kept connection may have ended before it was used. */
  async json(request: ClientRequest): Promise<unknown> {
    const { method = 'GET' } = request;
    try {
      return await this.#asked(request);
    } catch (error) {
      if (method !== 'GET' || !(error instanceof HttpError && error.code === 'CONNECTION_FAILED')) throw error;
      return await this.#asked(request);
    }
  }

  async #asked(request: ClientRequest): Promise<unknown> {
    const signal = this.until(request.signal);
    const answer = await this.answer({ ...request, signal });
    if (answer.status === 204 && request.isEmpty) return undefined;
    let text: string;
    try {
      text = await answer.text();
    } catch (error) {
      throw connectionError(error, signal);
    }
    const value = parsed(text);
    if (!isRecord(value))
      throw invalidAnswer(`The answer to ${request.path} is no JSON of this API; does baseUrl name the server?`);
    return value;
  }

  /** The answer as it comes; its body is read, or cancelled, by the caller. */
  async answer({
    method = 'GET',
    path,
    query = {},
    body,
    headers = {},
    signal: given,
  }: ClientRequest): Promise<Response> {
    const { baseUrl, token, fetch = globalThis.fetch } = this.#target;
    const signal = this.until(given);
    const asked = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) asked.set(key, String(value));
    const url = `${baseUrl}${path}${asked.size > 0 ? `?${asked.toString()}` : ''}`;
    const json = body && written(body);
    try {
      const answer = await fetch(url, {
        method,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: json ?? null,
        signal: signal ?? null,
        redirect: 'error', // the token is for this server
      });
      if (!answer.ok) throw await errorOfAnswer(answer);
      return answer;
    } catch (error) {
      throw connectionError(error, signal);
    }
  }

  /** Aborted with the signal of one request, or that of the client. */
  until(given: AbortSignal | undefined): AbortSignal | undefined {
    const { signal } = this.#target;
    return signal && given && signal !== given ? AbortSignal.any([signal, given]) : (given ?? signal);
  }
}

function written(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new ValidationError(`The request cannot be written as JSON: ${messageOf(error)}`);
  }
}
