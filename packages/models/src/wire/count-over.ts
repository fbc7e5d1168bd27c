import { AbortError, isAgentError, type ModelRequest } from '@x/core';
import { accessFor } from './access.ts';
import { AnswerContext } from './answer-context.ts';
import { EndpointFinder, endpointFor } from './endpoint.ts';
import { recordOf } from './json-values.ts';
import type { Count } from './lazy-model.ts';
import { type ErrorContext, errorOfAnswer, errorOfFailure, ModelError } from './model-error.ts';
import { modelReads, readableFormat } from './model-reads.ts';
import { openExchange } from './open-exchange.ts';
import type { Fields } from './option-fields.ts';
import { unsayableRequest } from './reply-reader.ts';
import { RequestBytes } from './request-bytes.ts';
import { bodyOf } from './require-event-stream.ts';
import { serverSecrets } from './service-steps.ts';
import type { WireApi } from './speak-over.ts';

/** The specific parts of an API that counts, made of those for replies. */
export interface CountApi extends Pick<WireApi, 'config' | 'name' | 'format' | 'build' | 'headersOf'> {
  /** The path with its query, of that for replies. */
  readonly countPath: (path: string) => string;
  /** The body, of that for a reply: services refuse fields about replies here. */
  readonly countBody: (body: Fields) => Fields;
  /** The field of the answer. */
  readonly field: string;
}

/**
 * Asks an HTTP API for the tokens of a request. Rare, and so it keeps nothing of a conversation: the body for a reply is made, and read once
 * more for the fields that count.
 */
export function countOver(api: CountApi): Count {
  const { config, name, build } = api;
  const endpoints = new EndpointFinder((signal, before) => accessFor(config, signal, before), build);
  const format = readableFormat(api.format, modelReads(config, name));
  return async (request) => {
    const { signal } = request;
    if (signal.aborted) throw new AbortError();
    const endpoint = endpointFor(await endpoints.find(signal), request, api.headersOf);
    const context = new AnswerContext(config.type, endpoint, serverSecrets(request));
    const bytes = bodyFor(api, new RequestBytes(format), request, context);
    const path = api.countPath(endpoint.path);
    const lent = { bytes, giveBack: () => undefined }; // nothing writes to them again
    const exchange = await openExchange({ ...endpoint, path }, lent, signal, true).catch((failure: unknown) => {
      throw errorOfFailure(failure, context, signal);
    });
    context.answered(exchange);
    try {
      const body = await bodyOf(exchange);
      if (signal.aborted) throw new AbortError();
      const { status, headers } = exchange;
      if (status < 200 || status >= 300) throw errorOfAnswer({ status, headers, body }, context);
      return countIn(body, api.field, context);
    } finally {
      exchange.close();
    }
  };
}

function bodyFor(api: CountApi, bytes: RequestBytes, request: ModelRequest, context: ErrorContext): Buffer {
  try {
    const body = recordOf(JSON.parse(bytes.bodyOf(request).bytes.toString('utf8'))) ?? {};
    return Buffer.from(JSON.stringify(api.countBody(body)));
  } catch (failure) {
    throw isAgentError(failure) ? failure : unsayableRequest(context, failure);
  }
}

function countIn(body: string, field: string, { provider, requestId }: ErrorContext): number {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    answer = undefined; // a page for people, or half an answer
  }
  const count = recordOf(answer)?.[field];
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Number(count);
  throw new ModelError(`${provider} did not answer with a count of tokens`, {
    provider,
    retryable: false,
    ...(requestId === undefined ? {} : { requestId }),
  });
}

/** The fields of these names that are there. */
export function only(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
