import { getEventListeners } from 'node:events';
import { AbortError, AgentError, RateLimitError, TimeoutError, ToolExecutionError, ValidationError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExecutionContext } from './executable.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { ToolExecutor } from './tool-executor.ts';

const executor = new ToolExecutor();
const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET' });
const forever = () => new Promise<never>(() => undefined);
/** Fails as often as there are errors, then answers; tells when each attempt began. */
function failing(...errors: readonly unknown[]) {
  const left = [...errors];
  const startedAt: number[] = [];
  const work = async (): Promise<string> => {
    startedAt.push(Date.now());
    if (left.length > 0) throw left.shift();
    return 'done';
  };
  return { work, startedAt };
}
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
async function delaysOf(retry: number, options: ExecutionOptions): Promise<readonly number[]> {
  const { work, startedAt } = failing(...Array.from({ length: retry }, reset));
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

describe('execute', () => {
  it('resolves with the value of the implementation, which gets the parameters', async () => {
    expect(await executor.execute(async ({ a }: { a: number }) => ({ twice: 2 * a }), { a: 21 })).toEqual({
      twice: 42,
    });
  });

  it.each([1, null, undefined, 'text', Symbol.iterator, { a: 1 }])(
    'takes an implementation that returns %s at once',
    async (value) => {
      expect(await executor.execute(() => value, {})).toBe(value);
    },
  );

  it('ends a slow attempt after 30 seconds, with the time in the error', async () => {
    const ended = caught(executor.execute(forever, {}));

    await vi.advanceTimersByTimeAsync(29_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);

    const error = await ended;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ message: 'Execution timeout after 30000ms', code: 'TIMEOUT', statusCode: 408 });
  });

  it('tries once when nothing is said of retries, and retry + 1 times at most', async () => {
    const once = failing(reset(), reset());
    await caught(executor.execute(once.work, {}));
    const thrice = failing(reset(), reset(), reset(), reset());
    const ended = caught(executor.execute(thrice.work, {}, { retry: 2 }));
    await vi.runAllTimersAsync();

    expect(await ended).toMatchObject({ code: 'ECONNRESET' });
    expect(once.startedAt).toHaveLength(1);
    expect(thrice.startedAt).toHaveLength(3);
  });

  it.each([
    reset(),
    Object.assign(new Error('m'), { status: 503 }),
    new RateLimitError('m'),
    new AgentError('m', { code: 'C', retryable: true }),
    new ToolExecutionError('m', reset()),
  ])('tries again after $name $message', async (error) => {
    const { work } = failing(error);
    const ended = executor.execute(work, {}, { retry: 1 });
    await vi.runAllTimersAsync();

    expect(await ended).toBe('done');
  });

  it.each([
    new Error('final'),
    new ValidationError('m'),
    new AbortError(),
    new TimeoutError('m'),
    new AgentError('m', { code: 'C', statusCode: 503 }),
  ])('throws a final $name at once, the same object', async (error) => {
    const { work, startedAt } = failing(error);

    expect(await caught(executor.execute(work, {}, { retry: 5 }))).toBe(error);
    expect(startedAt).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('throws the error of the last attempt, the same object', async () => {
    const last = reset();
    const ended = caught(executor.execute(failing(reset(), last).work, {}, { retry: 1 }));
    await vi.runAllTimersAsync();

    expect(await ended).toBe(last);
  });

  it.each([null, undefined, 'ECONNRESET', 42, Symbol.iterator])(
    'rethrows the thrown value %s as it is',
    async (thrown) => {
      const { work, startedAt } = failing(thrown);

      expect(await caught(executor.execute(work, {}, { retry: 3 }))).toBe(thrown);
      expect(startedAt).toHaveLength(1);
    },
  );

  it('takes an error that cannot be read for a final one', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = Object.defineProperty({}, 'code', { get: () => expect.unreachable() });

    for (const thrown of [proxy, hostile]) {
      const seen: unknown[] = [];
      await executor
        .execute(() => Promise.reject(thrown), {}, { retry: 3 })
        .catch((error: unknown) => void seen.push(error));
      expect(seen[0] === thrown).toBe(true);
    }
  });

  it('never tries again what was out of time', async () => {
    const work = vi.fn<() => Promise<never>>(forever);
    const ended = caught(executor.execute(work, {}, { retry: 3, timeout: 10 }));
    await vi.runAllTimersAsync();

    expect(await ended).toBeInstanceOf(TimeoutError);
    expect(work).toHaveBeenCalledOnce();
  });

  it('counts the time of each attempt on its own', async () => {
    const errors = [reset(), reset()];
    const work = async () => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      if (errors.length > 0) throw errors.pop();
      return 'done';
    };
    const ended = executor.execute(work, {}, { timeout: 100, retry: 2 });
    await vi.runAllTimersAsync();

    expect(await ended).toBe('done');
  });

  it('has no end without a time-out', async () => {
    const ended = executor.execute(
      () => new Promise((resolve) => setTimeout(resolve, 2 ** 30, 'done')),
      {},
      { timeout: Number.POSITIVE_INFINITY },
    );
    await vi.runAllTimersAsync();

    expect(await ended).toBe('done');
  });
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
    const limited = failing(
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

    expect(await caught(executor.execute(failing(error).work, {}, { retry: 2 }))).toBe(error);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the signals', () => {
  it('give each attempt one of its own, which stays quiet when the attempt ends by itself', async () => {
    const signals: AbortSignal[] = [];
    const errors = [reset()];
    const work = async (_: object, { signal }: ExecutionContext) => {
      signals.push(signal);
      if (errors.length > 0) throw errors.pop();
    };
    const ended = executor.execute(work, {}, { retry: 1 });
    await vi.runAllTimersAsync();
    await ended;

    expect(new Set(signals).size).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it('tell the attempt that its time is up, or that the caller has aborted, with the reason', async () => {
    const signals: AbortSignal[] = [];
    const work = (_: object, { signal }: ExecutionContext) => {
      signals.push(signal);
      return forever();
    };
    const caller = new AbortController();
    const late = caught(executor.execute(work, {}, { timeout: 10 }));
    const aborted = caught(executor.execute(work, {}, { signal: caller.signal }));

    await vi.advanceTimersByTimeAsync(10);
    caller.abort('enough');

    expect(signals[0]!.reason).toBe(await late);
    expect(signals[1]!.reason).toBe('enough');
    expect(await aborted).toBeInstanceOf(AbortError);
  });

  it('end an attempt and a wait at once, and no other attempt begins', async () => {
    const caller = new AbortController();
    const { work, startedAt } = failing(reset(), reset());
    const waiting = caught(executor.execute(work, {}, { retry: 5, signal: caller.signal }));
    const running = caught(executor.execute(forever, {}, { retry: 5, signal: caller.signal }));
    await vi.advanceTimersByTimeAsync(0);

    caller.abort();

    expect([await waiting, await running]).toEqual([expect.any(AbortError), expect.any(AbortError)]);
    await vi.runAllTimersAsync();
    expect(startedAt).toHaveLength(1);
  });

  it('let nothing begin that was aborted before', async () => {
    const work = vi.fn<() => void>();

    expect(await caught(executor.execute(work, {}, { signal: AbortSignal.abort() }))).toBeInstanceOf(AbortError);
    expect(work).not.toHaveBeenCalled();
  });

  it('end work that aborts its own caller', async () => {
    const caller = new AbortController();
    const work = () => {
      caller.abort();
      return forever();
    };

    expect(await caught(executor.execute(work, {}, { signal: caller.signal }))).toBeInstanceOf(AbortError);
  });

  it('leave neither timers nor listeners behind', async () => {
    const caller = new AbortController();
    const options = { signal: caller.signal, retry: 1, timeout: 1_000 };
    const ended = [
      async () => 'value',
      async () => await Promise.resolve('value'),
      failing(reset()).work,
      failing(new Error('final')).work,
      forever,
    ].map((work) => caught(executor.execute(work, {}, options)));
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });
});

describe('what may be repeated', () => {
  it('is no non_idempotent work, whatever retry says', async () => {
    const error = reset();
    const { work, startedAt } = failing(error);

    expect(await caught(executor.execute(work, {}, { retry: 3, effect: 'non_idempotent' }))).toBe(error);
    expect(startedAt).toHaveLength(1);
  });

  it.each(['pure', 'idempotent', undefined] as const)('is a function of effect %s with retries', async (effect) => {
    const { work } = failing(reset());
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

describe('the output', () => {
  it('is cut when it is a text over 1 MiB, and says how much', async () => {
    const output = await executor.execute(() => 'x'.repeat(2 ** 20 + 5), {});

    expect(output).toContain('[... 5 bytes of 1048581 cut ...]');
  });

  it('has a bound of its own when one is given, and none that is infinite', async () => {
    expect(await executor.execute(async () => 'x'.repeat(50), {}, { maxOutputBytes: 10 })).toContain(
      '40 bytes of 50 cut',
    );
    const all = await executor.execute(() => 'x'.repeat(2 ** 20 + 5), {}, { maxOutputBytes: Number.POSITIVE_INFINITY });
    expect(all).toHaveLength(2 ** 20 + 5);
  });

  it('is left alone when it is no text', async () => {
    const value = { text: 'x'.repeat(50) };

    expect(await executor.execute(() => value, {}, { maxOutputBytes: 10 })).toBe(value);
  });
});
