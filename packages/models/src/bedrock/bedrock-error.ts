import { AbortError, type AgentError, isAgentError } from '@x/core';
import { recordOf, textIn } from '../wire/json-values.ts';
import { type ErrorContext, errorOfAnswer, errorOfEvent, ModelError, readable } from '../wire/model-error.ts';
import { cutReply } from '../wire/reply-reader.ts';

/** Statuses of exceptions that come in the middle of a stream, where they have none (docs.aws.amazon.com, "Converse", "Errors"). */
const STATUS: Readonly<Record<string, number>> = {
  ThrottlingException: 429,
  ServiceUnavailableException: 503,
  InternalServerException: 500,
  ModelStreamErrorException: 502,
  ModelTimeoutException: 408,
  ModelNotReadyException: 429,
  ValidationException: 400,
};
/** Codes of Node for a connection that could not be made, or was lost. */
const NETWORK = /^(?:E[A-Z]{4,}|ERR_HTTP2_[A-Z_]+)$/;
/** Errors of the client about the keys that it looks for, before anything is sent. */
const NO_KEY = /Credentials|TokenProvider|SSO/i;
const NO_REGION = /^Region is missing/;

/** The error for anything that the official client throws; its own errors hold the whole request, and are not kept as a cause. */
export function bedrockError(failure: unknown, context: ErrorContext, signal: AbortSignal): AgentError {
  if (isAgentError(failure)) return failure;
  if (signal.aborted) return new AbortError();
  const error = recordOf(failure) ?? {};
  const [name, message, code] = [textIn(error['name']), textIn(error['message']), textIn(error['code'])];
  const status = recordOf(error['$metadata'])?.['httpStatusCode'];
  if (typeof status === 'number' && status >= 300) {
    const body = JSON.stringify({ error: { type: name, message } });
    return errorOfAnswer({ status, headers: headersOf(error), body }, context);
  }
  if (context.isAnswered || typeof status === 'number') {
    const named = STATUS[name];
    return named === undefined
      ? cutReply(context)
      : errorOfEvent({ type: name, message, code: String(named) }, context);
  }
  if (NO_KEY.test(name)) {
    const how = 'log in, set AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK, or give bedrock a client';
    const text = `bedrock has no credentials: ${readable(message, context)}; ${how}`;
    return new ModelError(text, { provider: context.provider, code: 'AUTHENTICATION_ERROR', retryable: false });
  }
  if (NO_REGION.test(message)) {
    const text = 'bedrock has no region: give it one, or set AWS_REGION';
    return new ModelError(text, { provider: context.provider, retryable: false });
  }
  const text = `The connection to bedrock failed: ${readable(message, context)}`;
  const isLost = NETWORK.test(code) || name === 'TimeoutError';
  return new ModelError(text, { provider: context.provider, retryable: isLost });
}

/** The headers of the answer, with the id that the client has found in them. */
function headersOf(error: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const headers = recordOf(recordOf(error['$response'])?.['headers']) ?? {};
  const requestId = textIn(recordOf(error['$metadata'])?.['requestId']);
  return {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
    ...(requestId === '' ? {} : { 'x-request-id': requestId }),
  };
}
