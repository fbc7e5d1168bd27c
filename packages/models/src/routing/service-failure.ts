import { isAgentError, isContextOverflow, isRetryable, retryAfterMs } from '@x/core';

/** Failures that another service, or another key, would not have, although some of them never pass. */
const CODES = new Set([
  'AUTHENTICATION_ERROR',
  'MODEL_NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'MODEL_OVERLOADED',
  'MODEL_UNAVAILABLE',
  'STREAM_CUT',
]);

/** True for a failure of the service or of the key; false for one of the request, and for an abort. */
export function isServiceFailure(error: unknown): boolean {
  if (isContextOverflow(error)) return false;
  return isRetryable(error) || (isAgentError(error) && CODES.has(error.code));
}

/** True for a service failure that says something of the calls that follow: a rate limit without a wait, and an unknown name do not. */
export function breaksCircuit(error: unknown): boolean {
  if (!isServiceFailure(error)) return false;
  const code = isAgentError(error) ? error.code : undefined;
  if (code === 'RATE_LIMIT_EXCEEDED') return retryAfterMs(error) !== undefined;
  return code !== 'MODEL_NOT_FOUND' && code !== 'MODEL_UNAVAILABLE';
}
