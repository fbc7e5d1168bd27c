import { isContextOverflow, isRetryable } from '@x/core';

/** A request that is wrong, or not allowed, stays so, whatever advice the service gave with it. */
const FINAL_STATUSES: readonly unknown[] = [400, 401, 403];

/** Whether the same model call may succeed later. A history that is too long never fits by waiting. */
export function mayTryAgain(error: unknown): boolean {
  if (!isRetryable(error) || isContextOverflow(error)) return false;
  // safe: both are only compared, and isRetryable accepts objects only
  const { statusCode, status } = error as { readonly statusCode?: unknown; readonly status?: unknown };
  return !FINAL_STATUSES.includes(statusCode ?? status);
}
