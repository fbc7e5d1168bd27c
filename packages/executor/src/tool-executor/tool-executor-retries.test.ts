import { RateLimitError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caught } from '../../test/caught.ts';
import { failingWork, reset } from '../../test/failing-work.ts';
import type { ExecutionContext } from './executable.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { ToolExecutor } from './tool-executor.ts';

const executor = new ToolExecutor();
/** Milliseconds from each attempt to the next, when all fail. */
async function delaysOf(retry: number, options: ExecutionOptions): Promise<readonly number[]> {
  const { work, startedAt } = failingWork(...Array.from({ length: retry }, reset));
  const ended = caught(executor.execute(work, {}, { retry, ...options }));
  await vi.runAllTimersAsync();
  await ended;
  return startedAt.slice(1).map((at, index) => at - startedAt[index]!);
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the wait before another attempt', () => {
  it.each([
    [0, [0, 0, 0, 0]],
    [0.5, [500, 1_000, 2_000, 4_000]],
  ])('is by default a random part of a second doubled each time: with %d of it %j', async (random, delays) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);

    expect(await delaysOf(4, {})).toEqual(delays);
  });

  it('is at most 30 seconds, unless said otherwise', async () => {
    const options = { jitter: 'none' } as const;

    expect((await delaysOf(7, options)).slice(4)).toEqual([16_000, 30_000, 30_000]);
    expect(await delaysOf(3, { ...options, maxDelay: 1_500 })).toEqual([1_000, 1_500, 1_500]);
  });

  it('grows by the delay with linear, exactly so without jitter', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);

    expect(await delaysOf(3, { backoff: 'linear', jitter: 'none' })).toEqual([1_000, 2_000, 3_000]);
    expect(await delaysOf(3, { backoff: 'linear' })).toEqual([500, 1_000, 1_500]);
  });

  it('is repeated with constant', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);

    expect(await delaysOf(3, { backoff: 'constant', retryDelay: 70 })).toEqual([70, 70, 70]);
    expect(await delaysOf(2, { backoff: 'constant', retryDelay: 70, jitter: 'full' })).toEqual([35, 35]);
  });

  it('is at least as long as the other side asks for', async () => {
    const limited = failingWork(
      new RateLimitError('m', 20),
      Object.assign(new Error('m'), { status: 429, headers: { 'Retry-After': '7' } }),
    );
    const ended = executor.execute(limited.work, {}, { retry: 2 });
    await vi.runAllTimersAsync();
    await ended;

    const [first = 0, second = 0, third = 0] = limited.startedAt;
    expect(second - first).toBe(20_000);
    expect(third - second).toBe(7_000);
  });

  it('is not begun when the other side asks for more than the longest', async () => {
    const error = new RateLimitError('m', 31);

    expect(await caught(executor.execute(failingWork(error).work, {}, { retry: 2 }))).toBe(error);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what may be repeated', () => {
  it('is no non_idempotent work, whatever retry says', async () => {
    const error = reset();
    const { work, startedAt } = failingWork(error);

    expect(await caught(executor.execute(work, {}, { retry: 3, effect: 'non_idempotent' }))).toBe(error);
    expect(startedAt).toHaveLength(1);
  });

  it.each(['pure', 'idempotent', undefined] as const)('is a function of effect %s with retries', async (effect) => {
    const { work } = failingWork(reset());
    const ended = executor.execute(work, {}, { retry: 1, ...(effect ? { effect } : {}) });
    await vi.runAllTimersAsync();

    expect(await ended).toBe('done');
  });

  it('has the same key in all attempts, and another in each execution', async () => {
    const keys: string[] = [];
    const attempts: number[] = [];
    const work = async (_: object, { idempotencyKey, attempt }: ExecutionContext) => {
      keys.push(idempotencyKey);
      attempts.push(attempt);
      throw reset();
    };
    const ended = [executor, executor, new ToolExecutor()].map((one) =>
      caught(one.execute(work, {}, { retry: 1, retryDelay: 0 })),
    );
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(attempts.toSorted((one, other) => one - other)).toEqual([1, 1, 1, 2, 2, 2]);
    expect(new Set(keys).size).toBe(3);
    expect([...new Set(keys)].map((key) => keys.filter((one) => one === key).length)).toEqual([2, 2, 2]);
  });

  it('has the key of the caller, when there is one', async () => {
    const work = (_: object, { idempotencyKey }: ExecutionContext) => idempotencyKey;

    expect(await executor.execute(work, {}, { idempotencyKey: 'order-7' })).toBe('order-7');
  });
});
