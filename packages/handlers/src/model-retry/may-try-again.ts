import { isContextOverflow, isRetryable } from '@x/core';

/** Statuses of a request that is wrong, or not allowed, and stays so, whatever the service advises. */
const FINAL_STATUSES: readonly unknown[] = [400, 401, 403];

/** True when the same model call may succeed later. A history that is too long never fits by waiting. */
export function mayTryAgain(error: unknown): boolean {
  if (!isRetryable(error) || isContextOverflow(error)) return false;
  // safe: both are only compared, and isRetryable accepts objects only
  const { statusCode, status } = error as { readonly statusCode?: unknown; readonly status?: unknown };
  return !FINAL_STATUSES.includes(statusCode ?? status);
}
