import { defineTool, objectSchema } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ToolExecutor } from './tool-executor.ts';

type Then = (resolved: (value: unknown) => void, rejected?: (reason: unknown) => void) => void;
// oxlint-disable-next-line unicorn/no-thenable -- this is about such objects
const withThen = (target: object, then: Then): unknown => Object.defineProperty(target, 'then', { value: then });
const callsTwice: Then = (resolved, rejected) => {
  resolved(1);
  resolved(2);
  rejected?.(new Error('neither'));
};
const throwsAtOnce: Then = () => {
  throw new Error('then');
};
const tool = 'strange';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('execute', () => {
  it.each<[string, unknown]>([
    ['calls back twice', withThen(Promise.resolve('its value'), callsTwice)],
    ['throws', withThen(Promise.resolve('its value'), throwsAtOnce)],
    ['is none and calls back twice', withThen({}, callsTwice)],
  ])('gives back one place for one attempt, also when a promise %s', async (_, strange) => {
    const executor = new ToolExecutor({ concurrency: { perTool: 1 } });
    await executor.execute(() => strange, {}, { tool }).catch(() => undefined);
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      inside--;
    };

    const ended = Promise.all([1, 2, 3].map(() => executor.execute(work, {}, { tool })));
    await vi.runAllTimersAsync();
    await ended;

    expect([most, inside]).toEqual([1, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('resolves with the pictures of a tool that has no other value', async () => {
    const image = { type: 'image' as const, data: 'AAAA', mediaType: 'image/png' };
    const inputSchema = objectSchema({});
    const results = [
      { output: '', isError: false, images: [image] },
      { output: 'A map.', isError: false, images: [image] },
    ];
    const drawn = results.map((result) => {
      const drawing = defineTool({ name: 'draw', description: 'Draws.', inputSchema, execute: async () => result });
      return new ToolExecutor().execute(drawing, {});
    });

    expect(await Promise.all(drawn)).toEqual([[image], [{ type: 'text', text: 'A map.' }, image]]);
  });
});

describe('the options of execute', () => {
  const reset = (more: object = {}) => Object.assign(new Error('reset'), { code: 'ECONNRESET', ...more });

  it('take a time-out that is longer than any timer', async () => {
    const caller = new AbortController();
    let ended: unknown = 'not yet';
    const call = new ToolExecutor()
      .execute(() => new Promise(() => undefined), {}, { timeout: 2 ** 31, signal: caller.signal })
      .catch((error: unknown) => {
        ended = error;
      });

    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(ended).toBe('not yet');
    caller.abort();
    await call;

    expect(ended).toMatchObject({ code: 'ABORTED' });
  });

  it('end with the abort, not with the earlier failure, while another attempt waits for its turn', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 20_000 } } });
    const caller = new AbortController();
    const work = () => {
      throw reset();
    };
    const ended = executor
      .execute(work, {}, { tool, retry: 1, retryDelay: 1, signal: caller.signal })
      .catch((error: unknown) => error);

    await vi.advanceTimersByTimeAsync(100);
    caller.abort();

    expect(await ended).toMatchObject({ code: 'ABORTED' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['own delay, when less is asked for', 1, 1_000],
    ['delay that is asked for', 5, 5_000],
    ['longest delay that may be', 30, 30_000],
  ])('wait for the %s', async (_, retryAfter, waitMs) => {
    const startedAt: number[] = [];
    const work = () => {
      startedAt.push(Date.now());
      throw reset({ retryAfter: retryAfter / (waitMs === 1_000 ? 1_000 : 1) });
    };
    const ended = new ToolExecutor().execute(work, {}, { retry: 1, backoff: 'constant' }).catch(() => undefined);
    await vi.runAllTimersAsync();
    await ended;

    expect(startedAt[1]! - startedAt[0]!).toBe(waitMs);
  });

  it('of an executor are those it was made with, whatever becomes of their object', async () => {
    const options: { timeout?: number; retry?: number } = { retry: 0 };
    const executor = new ToolExecutor(options);
    options.retry = 5;
    const work = vi.fn<() => never>(() => {
      throw reset();
    });
    const ended = executor.execute(work, {}, { backoff: 'constant' }).catch(() => undefined);
    await vi.runAllTimersAsync();
    await ended;

    expect(work).toHaveBeenCalledTimes(1);
  });
});
