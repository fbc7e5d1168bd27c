import { getEventListeners } from 'node:events';
import { AbortError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caught } from '../../test/caught.ts';
import { failingWork, forever, reset } from '../../test/failing-work.ts';
import type { ExecutionContext } from './executable.ts';
import { ToolExecutor } from './tool-executor.ts';

const executor = new ToolExecutor();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
    const { work, startedAt } = failingWork(reset(), reset());
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
      failingWork(reset()).work,
      failingWork(new Error('final')).work,
      forever,
    ].map((work) => caught(executor.execute(work, {}, options)));
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });
});
