import { AbortError, AgentError, RateLimitError, TimeoutError, ToolExecutionError, ValidationError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caught } from '../../test/caught.ts';
import { failingWork, forever, reset } from '../../test/failing-work.ts';
import { ToolExecutor } from './tool-executor.ts';

const executor = new ToolExecutor();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
    const once = failingWork(reset(), reset());
    await caught(executor.execute(once.work, {}));
    const thrice = failingWork(reset(), reset(), reset(), reset());
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
    const { work } = failingWork(error);
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
    const { work, startedAt } = failingWork(error);

    expect(await caught(executor.execute(work, {}, { retry: 5 }))).toBe(error);
    expect(startedAt).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('throws the error of the last attempt, the same object', async () => {
    const last = reset();
    const ended = caught(executor.execute(failingWork(reset(), last).work, {}, { retry: 1 }));
    await vi.runAllTimersAsync();

    expect(await ended).toBe(last);
  });

  it.each([null, undefined, 'ECONNRESET', 42, Symbol.iterator])(
    'rethrows the thrown value %s as it is',
    async (thrown) => {
      const { work, startedAt } = failingWork(thrown);

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
