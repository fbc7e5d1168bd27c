import { AgentError, isAgentError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { adviceFor, isPassing } from '../postgres/postgres-error.ts';

/** The typed error for a failure of pg-boss or of the server behind it, `retryable` when it may pass by itself; our own errors pass unchanged. */
export function engineError(cause: unknown): unknown {
  if (isAgentError(cause)) return cause;
  const { code } = (cause ?? {}) as { readonly code?: unknown }; // read as possibly absent
  const what = messageOf(cause);
  const shown = typeof code === 'string' ? ` (${code})` : '';
  // pg-boss refuses by an assertion what it can never do.
  const retryable = code !== 'ERR_ASSERTION' && isPassing(code);
  return new AgentError(`The queue of runs could not use pg-boss${shown}: ${what}. ${adviceFor(code, what)}`.trim(), {
    code: 'ENGINE_FAILED',
    statusCode: 503,
    cause,
    ...(retryable ? { retryable } : {}),
  });
}
