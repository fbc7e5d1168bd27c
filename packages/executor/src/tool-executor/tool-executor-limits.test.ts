import { getEventListeners } from 'node:events';
import { fc, test } from '@fast-check/vitest';
import { AbortError, RateLimitError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caught } from '../../test/caught.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { ToolExecutor } from './tool-executor.ts';

const lasting = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Work that tells when each of its attempts began, and how many were under way at most. */
function counted(lastsMs: number) {
  const begun: { readonly name: string; readonly atMs: number }[] = [];
  let active = 0;
  const most = { active: 0 };
  const work = async ({ name }: { name: string }) => {
    begun.push({ name, atMs: performance.now() });
    most.active = Math.max(most.active, ++active);
    await lasting(lastsMs)();
    active--;
  };
  return { begun, most, work, names: () => begun.map(({ name }) => name) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('concurrency', () => {
  it('lets so many attempts of a tool run at once, the others in the order of their arrival', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 2 } });
    const { work, most, names } = counted(10);
    const ended = ['a', 'b', 'c', 'd', 'e'].map((name) => executor.execute(work, { name }, { tool: 'slow' }));
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(most.active).toBe(2);
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('counts each tool and each caller on its own', async () => {
    const executor = new ToolExecutor({
      concurrency: { perTool: (tool) => (tool === 'free' ? undefined : 1), perCaller: 3 },
    });
    const { work, most } = counted(10);
    const ended = ['one', 'two', 'free', 'free'].map((tool) =>
      executor.execute(work, { name: tool }, { tool, caller: 'me' }),
    );
    const other = executor.execute(work, { name: 'free' }, { tool: 'free', caller: 'you' });
    await vi.runAllTimersAsync();
    await Promise.all([...ended, other]);

    expect(most.active).toBe(4);
  });

  it('takes a function without a name for a tool of its own, and those who do not say who they are for one caller', async () => {
    const perTool = new ToolExecutor({ concurrency: { perTool: 1 } });
    const perCaller = new ToolExecutor({ concurrency: { perCaller: 1 } });
    const one = counted(10);
    const two = counted(10);
    const both = counted(10);
    const ended = [
      ...['a', 'b'].flatMap((name) => [perTool.execute(one.work, { name }), perTool.execute(two.work, { name })]),
      ...['a', 'b'].map((name) =>
        perCaller.execute(({ name: own }: { name: string }) => both.work({ name: own }), { name }),
      ),
    ];
    await vi.advanceTimersByTimeAsync(0);

    expect([one.names(), two.names(), both.names()]).toEqual([['a'], ['a'], ['a']]);
    await vi.runAllTimersAsync();
    await Promise.all(ended);
  });

  it('does not count the wait against the time of an attempt', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 }, timeout: 15 });
    const ended = Promise.all([1, 2, 3].map(() => executor.execute(lasting(10), {}, { tool: 't' })));
    await vi.runAllTimersAsync();

    expect(await ended).toHaveLength(3);
  });

  it('keeps the place of an attempt that was given up until its work has ended', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 } });
    const { work, names } = counted(100);
    const late = caught(executor.execute(work, { name: 'late' }, { tool: 't', timeout: 10 }));
    const next = executor.execute(work, { name: 'next' }, { tool: 't' });

    await vi.advanceTimersByTimeAsync(99);
    const before = names();
    await vi.advanceTimersByTimeAsync(101);

    expect(await late).toMatchObject({ code: 'TIMEOUT' });
    expect(before).toEqual(['late']);
    await next;
  });

  it('gives the place back during the wait before another attempt', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 } });
    const { work, names } = counted(10);
    let failures = 1;
    const failing = async () => {
      if (failures-- > 0) throw Object.assign(new Error('m'), { code: 'EPIPE' });
      await work({ name: 'second' });
    };
    const options: ExecutionOptions = { tool: 't', retry: 1, backoff: 'constant', retryDelay: 50 };
    const ended = [executor.execute(failing, {}, options), executor.execute(work, { name: 'between' }, options)];
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(names()).toEqual(['between', 'second']);
  });

  it('refuses one more than may wait, and one that waits too long, saying when to come again', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 }, maxQueue: 1, maxWait: 50 });
    const [runs, waits, refused] = [1, 2, 3].map(() => caught(executor.execute(lasting(100), {}, { tool: 't' })));

    expect(await refused).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfter: 1,
      message: expect.stringContaining('tool t: 1 run and 1 wait'),
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(await waits).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringContaining('has waited 50 ms'),
    });
    expect(await runs).toBe('no error');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells from the pace of the others when to come again', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 }, maxQueue: 40, maxWait: Number.POSITIVE_INFINITY });
    const options = { tool: 't', timeout: Number.POSITIVE_INFINITY };
    const ended = Array.from({ length: 41 }, () => executor.execute(lasting(10_000), {}, options));
    await vi.advanceTimersByTimeAsync(300_000);
    const more = Array.from({ length: 30 }, () => executor.execute(lasting(10_000), {}, options));

    const refused = (await caught(executor.execute(lasting(1), {}, options))) as RateLimitError;

    expect(refused.retryAfter).toBeGreaterThan(350);
    expect(refused.retryAfter).toBeLessThan(420);
    await vi.runAllTimersAsync();
    await Promise.all([...ended, ...more]);
  });

  it('never lets go of a wait without its caller: an abort ends it at once and leaves the place to the next', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 } });
    const caller = new AbortController();
    const { work, names } = counted(10);
    const runs = executor.execute(work, { name: 'runs' }, { tool: 't' });
    const leaves = caught(executor.execute(work, { name: 'leaves' }, { tool: 't', signal: caller.signal }));
    const next = executor.execute(work, { name: 'next' }, { tool: 't' });
    await vi.advanceTimersByTimeAsync(0);

    caller.abort();

    expect(await leaves).toBeInstanceOf(AbortError);
    await vi.runAllTimersAsync();
    await Promise.all([runs, next]);
    expect(names()).toEqual(['runs', 'next']);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives the place on when the caller aborts in the moment of getting it', async () => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 } });
    const caller = new AbortController();
    const { work, names } = counted(10);
    const first = executor.execute(
      async () => {
        await lasting(10)();
        caller.abort();
      },
      {},
      { tool: 't' },
    );
    const unlucky = caught(executor.execute(work, { name: 'unlucky' }, { tool: 't', signal: caller.signal }));
    const next = executor.execute(work, { name: 'next' }, { tool: 't' });
    await vi.runAllTimersAsync();
    await Promise.all([first, next]);

    expect(await unlucky).toBeInstanceOf(AbortError);
    expect(names()).toEqual(['next']);
  });
});

describe('rateLimit', () => {
  it('lets so many attempts begin in any window, in the order of their arrival', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: { limit: 2, window: 1_000 } } });
    const { work, begun, names } = counted(1);
    const ended = ['a', 'b', 'c', 'd', 'e'].map((name) => executor.execute(work, { name }, { tool: 't' }));
    const t0 = performance.now();
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(begun.map(({ atMs }) => atMs - t0)).toEqual([0, 0, 1_000, 1_000, 2_000]);
  });

  it('refuses one that would have to wait too long, and says how long', async () => {
    const executor = new ToolExecutor({ rateLimit: { perCaller: { limit: 1, window: 20_000 } } });
    const ended = [1, 2, 3].map(() => caught(executor.execute(() => 'done', {}, { caller: 'me' })));

    expect(await ended[2]).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', statusCode: 429, retryAfter: 40 });
    expect(await ended[2]).toBeInstanceOf(RateLimitError);
    await vi.runAllTimersAsync();
    expect(await Promise.all(ended.slice(0, 2))).toEqual(['no error', 'no error']);
  });

  it('refuses one more than may wait', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 1_500 } }, maxQueue: 0 });
    await executor.execute(() => 'done', {}, { tool: 't' });

    expect(await caught(executor.execute(() => 'done', {}, { tool: 't' }))).toMatchObject({ retryAfter: 2 });
  });

  it('keeps no timer when all who waited have aborted', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 1_000 } } });
    const caller = new AbortController();
    const ended = [1, 2, 3].map(() => caught(executor.execute(() => 'done', {}, { tool: 't', signal: caller.signal })));
    await vi.advanceTimersByTimeAsync(1);

    caller.abort();

    expect(await Promise.all(ended)).toEqual(['no error', expect.any(AbortError), expect.any(AbortError)]);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it('counts another attempt as well, and lets work that may not go on fail as it did', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 60_000 } } });
    const failure = Object.assign(new Error('m'), { code: 'EPIPE' });
    const ended = caught(executor.execute(() => Promise.reject(failure), {}, { tool: 't', retry: 3 }));
    await vi.runAllTimersAsync();

    expect(await ended).toBe(failure);
  });

  test.prop(
    [
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 10, max: 100 }),
      fc.array(
        fc.record({
          tool: fc.constantFrom('a', 'b'),
          pauseMs: fc.integer({ min: 0, max: 40 }),
          isAborted: fc.boolean(),
        }),
        { maxLength: 25, size: 'max' },
      ),
    ],
    { numRuns: 100 },
  )(
    'never lets more than the limit begin in any window, and keeps the order of each tool',
    async (limit, window, calls) => {
      vi.useFakeTimers();
      const executor = new ToolExecutor({
        rateLimit: { perTool: { limit, window } },
        maxWait: Number.POSITIVE_INFINITY,
      });
      const begun: { readonly tool: string; readonly index: number; readonly atMs: number }[] = [];
      const ended: Promise<unknown>[] = [];
      for (const [index, { tool, pauseMs, isAborted }] of calls.entries()) {
        const caller = new AbortController();
        const work = () => void begun.push({ tool, index, atMs: performance.now() });
        ended.push(caught(executor.execute(work, {}, { tool, signal: caller.signal })));
        await vi.advanceTimersByTimeAsync(pauseMs);
        if (isAborted) caller.abort();
      }
      await vi.runAllTimersAsync();
      await Promise.all(ended);

      for (const tool of ['a', 'b']) {
        const own = begun.filter((one) => one.tool === tool);
        expect(own.map(({ index }) => index)).toEqual(
          own.map(({ index }) => index).toSorted((one, other) => one - other),
        );
        for (const [at, { atMs }] of own.entries())
          expect(atMs - (own[at - limit]?.atMs ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(window);
      }
      const unaborted = calls.flatMap(({ isAborted }, index) => (isAborted ? [] : [index]));
      expect(begun.map(({ index }) => index)).toEqual(expect.arrayContaining(unaborted));
      expect(vi.getTimerCount()).toBe(0);
      vi.useRealTimers();
    },
  );
});
