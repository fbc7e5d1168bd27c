import { AbortError, isAgentError, type ModelRequest } from '@x/core';
import { type Access, accessFor } from './access.ts';
import { AnswerContext } from './answer-context.ts';
import { type BuiltRequest, type Endpoint, EndpointFinder, endpointFor } from './endpoint.ts';
import type { LentBody } from './history-bytes.ts';
import type { Speak } from './lazy-model.ts';
import { type ErrorContext, errorOfFailure } from './model-error.ts';
import { modelReads, readableFormat } from './model-reads.ts';
import { openExchange } from './open-exchange.ts';
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
  /** The provider's name in replies and errors. Default: the type of the configuration. */
  readonly provider?: string;
}

/** Talks to a streaming HTTP API. Stateless towards its callers: sessions share it. */
export function speakOver({
  config,
  name,
  format,
  build,
  headersOf,
  reader: readerOf,
  takesJson,
  provider,
}: WireApi): Speak {
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
    const endpoint = endpointFor(await endpoints.find(request.signal), request, headersOf);
    const context = new AnswerContext(provider ?? config.type, endpoint, serverSecrets(request));
    const translated = (failure: unknown): never => {
      throw errorOfFailure(failure, context, request.signal);
    };
    const exchange = await openExchange(endpoint, bodyFor(request, context), request.signal, hasAnswered).catch(
      translated,
    );
    context.answered(exchange);
    try {
      await requireEventStream(exchange, context, { takesJson });
      const reader = readerOf({ model: name, request, context });
      const text = new Utf8Text();
      for (let ended = false; !ended && !reader.done; ) {
        const pieces = await exchange.read();
        ended = pieces === undefined;
        for (const event of reader.push(text.push(pieces && joined(pieces)))) yield event;
        if (ended) for (const event of reader.end()) yield event;
      }
      const message = reader.message();
      exchange.release();
      hasAnswered = true;
      return message;
    } catch (failure) {
      if (failure === exchange.failure) translated(failure);
      throw isAgentError(failure) ? failure : unreadableReply(context, failure);
    } finally {
      exchange.close();
    }
  };
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces); // there is at least one
}
