import { getEventListeners } from 'node:events';
import { AbortError } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

/** Yields twice, then waits for `gate`; tells when it was cleaned up. */
function stream(gate: Promise<unknown>) {
  const state = { cleaned: false };
  async function* work(): AsyncGenerator<number, string, void> {
    try {
      yield 1;
      yield 2;
      await gate;
      return 'value';
    } finally {
      state.cleaned = true;
    }
  }
  return { work: work(), state };
}

const never = new Promise<never>(() => undefined);

describe('untilAborted', () => {
  it('is the same stream while nobody aborts', async () => {
    const { signal } = new AbortController();

    const read = await collect(untilAborted(stream(Promise.resolve()).work, signal));

    expect(read).toEqual({ events: [1, 2], value: 'value' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends at once with AbortError although the work ignores the signal (S13)', async () => {
    const controller = new AbortController();
    const { work, state } = stream(never);
    const reading = collect(untilAborted(work, controller.signal));
    setImmediate(() => controller.abort());

    await expect(reading).rejects.toThrow(AbortError);

    expect(state.cleaned).toBe(false); // left behind: the step never ends
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('pulls nothing when it was aborted before', async () => {
    let pulled = false;
    // oxlint-disable-next-line require-yield
    async function* work(): AsyncGenerator<never, void, void> {
      pulled = true;
    }

    await expect(collect(untilAborted(work(), AbortSignal.abort()))).rejects.toThrow(AbortError);

    expect(pulled).toBe(false);
  });

  it('ends between two events when the reader aborts there, and cleans up', async () => {
    const controller = new AbortController();
    const { work, state } = stream(never);
    const limited = untilAborted(work, controller.signal);
    await limited.next();

    controller.abort();

    await expect(limited.next()).rejects.toThrow(AbortError);
    expect(state.cleaned).toBe(true);
  });

  it('cleans up the work before return() resolves', async () => {
    const { signal } = new AbortController();
    const { work, state } = stream(never);
    const limited = untilAborted(work, signal);
    await limited.next();

    await limited.return('left');

    expect(state.cleaned).toBe(true);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('passes on the failure of the work', async () => {
    const { signal } = new AbortController();
    const { work } = stream(Promise.reject(new Error('broken')));

    await expect(collect(untilAborted(work, signal))).rejects.toThrow('broken');

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('swallows the failure of work that was left behind', async () => {
    const controller = new AbortController();
    const gate = Promise.withResolvers<void>();
    const reading = collect(untilAborted(stream(gate.promise).work, controller.signal));
    setImmediate(() => controller.abort());

    await expect(reading).rejects.toThrow(AbortError);
    gate.reject(new Error('too late'));
  });

  it('swallows a cleanup that fails after an abort', async () => {
    const controller = new AbortController();
    async function* work(): AsyncGenerator<number, void, void> {
      try {
        yield 1;
        yield 2;
      } finally {
        await Promise.reject(new Error('cleanup'));
      }
    }
    const limited = untilAborted(work(), controller.signal);
    await limited.next();

    controller.abort();

    await expect(limited.next()).rejects.toThrow(AbortError);
  });
});
