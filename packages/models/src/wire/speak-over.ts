import { AbortError, isAgentError, type ModelRequest } from '@x/core';
import { type Access, accessFor } from './access.ts';
import { type BuiltRequest, type Endpoint, EndpointFinder } from './endpoint.ts';
import type { LentBody } from './history-bytes.ts';
import { currentDispatcher } from './http-dispatcher.ts';
import { HttpExchange } from './http-exchange.ts';
import type { Speak } from './lazy-model.ts';
import { type ErrorContext, errorOfFailure, requestIdIn } from './model-error.ts';
import { modelReads, readableFormat } from './model-reads.ts';
import type { ProviderConfig } from './provider-config.ts';
import { type ReplyFacts, type ReplyReader, unreadableReply, unsayableRequest } from './reply-reader.ts';
import { RequestBytes } from './request-bytes.ts';
import type { RequestFormat } from './request-format.ts';
import { requireEventStream } from './require-event-stream.ts';
import { serverSecrets } from './service-steps.ts';
import { Utf8Text } from './utf8-text.ts';

/** The specific parts of one model API. */
export interface WireApi {
  readonly config: ProviderConfig;
  readonly name: string;
  readonly format: RequestFormat;
  /** A request built by the official client, which is loaded here, on first use. */
  readonly build: (access: Access) => Promise<BuiltRequest>;
  /** Headers of one request, over those that all have; default none. */
  readonly headersOf?: (request: ModelRequest, headers: Endpoint['headers']) => Endpoint['headers'] | undefined;
  readonly reader: (facts: ReplyFacts) => ReplyReader;
  /** The reader also reads a reply in one object; some servers cannot stream. */
  readonly takesJson?: boolean;
}

/** The provider to name in errors, and, once there is an answer, its request id. */
class AnswerContext implements ErrorContext {
  readonly provider: string;
  readonly apiKey: string;
  readonly secrets: readonly string[];
  exchange: HttpExchange | undefined;

  constructor(provider: string, { access, secrets }: Endpoint, ofRequest: readonly string[]) {
    this.provider = provider;
    this.apiKey = access.apiKey;
    this.secrets = ofRequest.length === 0 ? secrets : [...secrets, ...ofRequest];
  }

  get isAnswered(): boolean {
    return this.exchange !== undefined;
  }

  get requestId(): string | undefined {
    const { exchange } = this;
    return exchange && requestIdIn((name) => exchange.header(name));
  }
}

/** Errors of a kept connection that the service had already closed. */
const STALE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Talks to a streaming HTTP API. Stateless towards its callers: sessions share it. */
export function speakOver({ config, name, format, build, headersOf, reader: readerOf, takesJson }: WireApi): Speak {
  const endpoints = new EndpointFinder((signal, before) => accessFor(config, signal, before), build);
  const bytes = new RequestBytes(readableFormat(format, modelReads(config, name)));
  let hasAnswered = false;
  const bodyFor = (request: ModelRequest, context: ErrorContext): LentBody => {
    try {
      return bytes.bodyOf(request);
    } catch (failure) {
      throw isAgentError(failure) ? failure : unsayableRequest(context, failure);
    }
  };
  return async function* stream(request) {
    if (request.signal.aborted) throw new AbortError();
    const found = await endpoints.find(request.signal);
    const more = headersOf?.(request, found.headers);
    const endpoint = more ? { ...found, headers: { ...found.headers, ...more } } : found;
    const context = new AnswerContext(config.type, endpoint, serverSecrets(request));
    const translated = (failure: unknown): never => {
      throw errorOfFailure(failure, context, request.signal);
    };
    const exchange = await opened(endpoint, bodyFor(request, context), request.signal, hasAnswered).catch(translated);
    context.exchange = exchange;
    try {
      await requireEventStream(exchange, context, { takesJson });
      const reader = readerOf({ model: name, request, context });
      const text = new Utf8Text();
      for (let ended = false; !ended && !reader.done; ) {
        const pieces = await exchange.read().catch(translated);
        ended = pieces === undefined;
        for (const event of reader.push(text.push(pieces && joined(pieces)))) yield event;
        if (ended) for (const event of reader.end()) yield event;
      }
      const message = reader.message();
      exchange.release();
      hasAnswered = true;
      return message;
    } catch (failure) {
      throw isAgentError(failure) ? failure : unreadableReply(context, failure);
    } finally {
      exchange.close();
    }
  };
}

/** The answer's head; retried once when a kept connection turns out to be dead. */
async function opened(
  { origin, path, headers }: Endpoint,
  body: LentBody,
  signal: AbortSignal,
  hasAnswered: boolean,
): Promise<HttpExchange> {
  const request = { origin, path, headers, body: body.bytes, signal, onComplete: body.giveBack };
  const first = new HttpExchange(currentDispatcher(), request);
  const failure = await first.opened().catch((error: unknown) => error);
  if (failure === undefined) return first;
  if (signal.aborted || !isStale(failure, hasAnswered)) throw failure;
  const second = new HttpExchange(currentDispatcher(), request);
  await second.opened();
  return second;
}

/** A connection on which nothing was ever received was not a kept one: the service may have begun to work before it closed it. */
function isStale(failure: unknown, hasAnswered: boolean): boolean {
  const { code, socket, cause } = failure as SocketFailure & { readonly cause?: SocketFailure };
  const bytesRead = (socket ?? cause?.socket)?.bytesRead;
  return hasAnswered && STALE.has(String(code ?? cause?.code)) && bytesRead !== 0;
}

/** An error of undici, unchecked. */
interface SocketFailure {
  readonly code?: unknown;
  readonly socket?: { readonly bytesRead?: unknown } | null;
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces); // there is at least one
}
