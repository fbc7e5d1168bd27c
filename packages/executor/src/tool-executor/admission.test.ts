import { getEventListeners } from 'node:events';
import { AbortError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Admission } from './admission.ts';
import { ConcurrencyGate } from './concurrency-gate.ts';
import { ToolExecutor } from './tool-executor.ts';

const of = (signal?: AbortSignal) => ({ tool: 't', caller: undefined, signal });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Admission', () => {
  it('gives the place on when the caller aborts in the moment of getting it', async () => {
    const admission = new Admission({ concurrency: { perTool: 1 } });
    const caller = new AbortController();
    const leave = await admission.enter(of());
    const unlucky = admission.enter(of(caller.signal)).catch((error: unknown) => error);
    const next = admission.enter(of());
    await vi.advanceTimersByTimeAsync(0);

    leave();
    caller.abort();

    expect(await unlucky).toBeInstanceOf(AbortError);
    expect(await next).toBeTypeOf('function');
  });

  it('keeps neither timer nor listener of one that was let in', async () => {
    const admission = new Admission({ concurrency: { perTool: 1 } });
    const { signal } = new AbortController();
    const leave = await admission.enter(of());
    const next = admission.enter(of(signal));
    await vi.advanceTimersByTimeAsync(0);
    const waiting = [vi.getTimerCount(), getEventListeners(signal, 'abort').length];

    leave();
    await next;

    expect(waiting).toEqual([1, 1]);
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });

  it('lets nobody overtake those who wait for a window, in the moment it ends', async () => {
    const executor = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 1_000 } } });
    const begun: string[] = [];
    const ended: Promise<unknown>[] = [];
    const call = (name: string) => void ended.push(executor.execute(() => begun.push(name), {}, { tool: 't' }));
    setTimeout(() => call('late'), 1_000); // set before the timer of the gate, so it comes first
    call('first');
    call('waiting');
    await vi.runAllTimersAsync();
    await Promise.all(ended);

    expect(begun).toEqual(['first', 'waiting', 'late']);
  });
});

describe('ConcurrencyGate', () => {
  it('does not take a time without calls for a slow pace', async () => {
    const gate = new ConcurrencyGate(1, { name: 'tool t', maxQueue: 0, maxWait: 1_000 });
    for (const pauseMs of [3_600_000, 10, 10]) {
      await gate.enter(undefined);
      gate.leave();
      await vi.advanceTimersByTimeAsync(pauseMs);
    }
    await gate.enter(undefined);

    expect(() => gate.enter(undefined)).toThrow(expect.objectContaining({ retryAfter: 1 }));
  });
});
