import { AbortError, type AgentError, isAgentError } from '@x/core';
import type { RateLimits } from '@x/core/internal';
import { isObject } from '@x/errors';
import { recordOf, textIn } from '../wire/json-values.ts';
import {
  type ErrorContext,
  errorOfAnswer,
  errorOfEvent,
  errorOfFailure,
  ModelError,
  type ModelErrorOptions,
  readable,
} from '../wire/model-error.ts';
import { cutReply, malformedEvent } from '../wire/reply-reader.ts';

/** The facts of one call that its errors need. */
export interface CallContext extends ErrorContext {
  /** Parts of the reply have come. */
  isAnswered: boolean;
  limits?: RateLimits | undefined;
}

/**
 * The error for anything that a language model throws, or says in place of a reply. Errors of the AI SDK are not kept as a cause: they hold
 * the whole request and the whole answer, in which the key may stand.
 */
export function callError(failure: unknown, context: CallContext, signal: AbortSignal): AgentError {
  if (isAgentError(failure)) return failure;
  if (signal.aborted) return new AbortError();
  if (isOf('APICallError', failure)) return answerError(failure, context);
  if (isOf('JSONParseError', failure) || isOf('TypeValidationError', failure))
    return malformedEvent(context, undefined);
  if (isOf('LoadAPIKeyError', failure)) return refusal(failure, context, 'AUTHENTICATION_ERROR');
  if (isObject(failure) && Object.hasOwn(failure, Symbol.for('vercel.ai.error'))) return refusal(failure, context);
  if (failure instanceof Error) return errorOfFailure(failure, context);
  return errorOfEvent(recordOf(failure)?.['error'] ?? failure, context);
}

/** True for an error of the AI SDK, by the mark through which all copies of it know each other's errors. */
function isOf(name: string, failure: unknown): failure is object {
  return isObject(failure) && Object.hasOwn(failure, Symbol.for(`vercel.ai.error.AI_${name}`));
}

/** The error for a request that the AI SDK itself refuses, such as one with a part that its provider cannot write; it would refuse it again. */
function refusal(failure: object, context: CallContext, code?: ModelErrorOptions['code']): ModelError {
  const { provider } = context;
  const message = `${provider} cannot be asked this: ${readable(textIn(recordOf(failure)?.['message']), context)}`;
  return new ModelError(message, { provider, retryable: false, ...(code ? { code } : {}) });
}

/** Without a status the service was not reached; with one of success, its answer broke off. */
function answerError(failure: object, context: CallContext): AgentError {
  const { statusCode, responseHeaders, responseBody, cause } = failure as Readonly<Record<string, unknown>>; // safe: unknown
  if (typeof statusCode !== 'number') {
    if (isOf('APICallError', cause)) return answerError(cause, context);
    return errorOfFailure(cause ?? new Error(textIn(recordOf(failure)?.['message'])), context);
  }
  if (statusCode < 300) return cutReply(context);
  const headers = Object.fromEntries(
    Object.entries(recordOf(responseHeaders) ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  return errorOfAnswer({ status: statusCode, headers, body: textIn(responseBody) }, context);
}
