import { retryAfterMs } from '@x/core';
import { backoffMs } from '@x/core/internal';
import type { FullLimits } from './check-options.ts';

/**
 * Milliseconds to wait after the failed attempt `attempt` (from 1): at least as long as the other side asks for. Undefined when that is
 * longer than `maxDelay`.
 */
export function retryDelayMs(attempt: number, error: unknown, limits: FullLimits): number | undefined {
  const askedMs = retryAfterMs(error) ?? 0;
  return askedMs > limits.maxDelay ? undefined : Math.max(askedMs, ownDelayMs(attempt, limits));
}

function ownDelayMs(attempt: number, { backoff, jitter, retryDelay, maxDelay }: FullLimits): number {
  if (backoff === 'exponential' && jitter === 'full') {
    return backoffMs(attempt, { baseMs: retryDelay, maxMs: maxDelay });
  }
  const ceilingMs = Math.min(maxDelay, retryDelay * factorOf(backoff, attempt));
  return jitter === 'full' ? Math.random() * ceilingMs : ceilingMs;
}

function factorOf(backoff: FullLimits['backoff'], attempt: number): number {
  if (backoff === 'constant') return 1;
  return backoff === 'linear' ? attempt : 2 ** Math.min(attempt - 1, 60);
}
