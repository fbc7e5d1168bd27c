import type { AgentHandler } from '@x/core';
import { ownHandler } from '../own-handler.ts';
import { type ModelRetryOptions, retryModelCall, retryRules } from './retry-model-call.ts';

/**
 * Repeats model calls that failed before their first delta with an error that may pass: at most 3 attempts, exponential waits with full
 * jitter, honouring `Retry-After`, never for 400, 401, 403 or a history that does not fit. Belongs inside of compaction and fallback.
 * @throws ValidationError for invalid options
 */
export function modelRetryHandler(options: ModelRetryOptions = {}): AgentHandler {
  const rules = retryRules('modelRetryHandler', options);
  return ownHandler({
    name: 'model-retry',
    wrapModelCall: (request, next, run) =>
      retryModelCall({ start: () => next(request), run, signal: request.signal, rules }),
  });
}
