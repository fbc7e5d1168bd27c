import { messageOf } from '@x/core/internal';
import { queueError } from '../engine/queue-error.ts';
import { adviceFor, isPassing } from '../postgres/postgres-error.ts';

/** The typed error for a failure of pg-boss or of the server behind it, `retryable` when it may pass by itself; our own errors pass unchanged. */
export function engineError(cause: unknown): unknown {
  const { code } = (cause ?? {}) as { readonly code?: unknown }; // read as possibly absent
  return queueError(cause, {
    program: 'pg-boss',
    code: typeof code === 'string' ? code : undefined,
    advice: adviceFor(code, messageOf(cause)),
    // pg-boss refuses by an assertion what it can never do.
    retryable: code !== 'ERR_ASSERTION' && isPassing(code),
  });
}
