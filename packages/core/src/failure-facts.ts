import { isAgentError, messageOf } from '@x/errors';
import { isRetryable, retryAfterMs } from './retry.ts';

/** The facts of a failure as plain data, for programs to act on. */
export interface FailureFacts {
  /** Code of the error; `INTERNAL_ERROR` for one that is not of this SDK. */
  code: string;
  /** HTTP status: that of the service, or that of the code. */
  status?: number;
  /** True when the same request may succeed later. */
  retryable: boolean;
  /** Seconds that the service asks to wait. */
  retryAfter?: number;
  /** The service's id of the request. */
  requestId?: string;
  /** The service whose model has failed. */
  provider?: string;
}

/** Maximum characters of a message: an error may quote anything, and an entry of a log has a limit. */
const MAX_MESSAGE = 10_000;

/** The facts of any thrown value, with the first 10,000 characters of its text. */
export function failureFacts(failure: unknown): FailureFacts & { message: string } {
  const known = isAgentError(failure) ? failure : undefined;
  // safe: both are used only when they are texts
  const { requestId, provider } = (known ?? {}) as { readonly requestId?: unknown; readonly provider?: unknown };
  const waitMs = retryAfterMs(failure);
  return {
    message: messageOf(failure).slice(0, MAX_MESSAGE),
    code: known?.code ?? 'INTERNAL_ERROR',
    ...(known ? { status: known.statusCode } : {}),
    retryable: isRetryable(failure),
    ...(waitMs === undefined ? {} : { retryAfter: waitMs / 1000 }),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(typeof provider === 'string' ? { provider } : {}),
  };
}
