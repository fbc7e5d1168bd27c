import { getEventListeners } from 'node:events';
import { fc, test } from '@fast-check/vitest';
import { AbortError, TimeoutError } from '@x/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadline, unlessAborted } from './bounded.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('deadline', () => {
  it('without a time is its parent', () => {
    const { signal } = new AbortController();

    expect(deadline(signal, undefined)).toMatchObject({ signal, expired: false });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts with a TimeoutError when the time is up', () => {
    const limit = deadline(new AbortController().signal, 50);

    vi.advanceTimersByTime(49);
    const before = limit.signal.aborted;
    vi.advanceTimersByTime(1);

    expect(before).toBe(false);
    expect(limit).toMatchObject({ expired: true, signal: { aborted: true } });
    expect(limit.signal.reason).toBeInstanceOf(TimeoutError);
    expect(limit.signal.reason).toMatchObject({ timeoutMs: 50 });
  });

  it('aborts with its parent, for the same reason, and has not expired', () => {
    const parent = new AbortController();
    const limit = deadline(parent.signal, 50);

    parent.abort('because');

    expect(limit.signal.reason).toBe('because');
    expect(limit.expired).toBe(false);
  });

  it('is aborted from the start when its parent is', () => {
    expect(deadline(AbortSignal.abort('before'), 50).signal.reason).toBe('before');
  });

  it('leaves neither timer nor listener once it is cleared', () => {
    const { signal } = new AbortController();
    const limit = deadline(signal, 50);

    limit.clear();
    vi.advanceTimersByTime(100);

    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(limit.expired).toBe(false);
  });

  test.prop([fc.integer({ min: 1000, max: Number.MAX_SAFE_INTEGER })])(
    'does not expire early, however long it is',
    (timeoutMs) => {
      const limit = deadline(new AbortController().signal, timeoutMs);

      vi.advanceTimersByTime(999);
      limit.clear();

      expect(limit.expired).toBe(false);
    },
  );
});

describe('unlessAborted', () => {
  beforeEach(() => void vi.useRealTimers());

  it('answers as the work does, also when that throws at once, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const fault = new Error('broken');

    expect(await unlessAborted(() => 7, signal)).toBe(7);
    await expect(
      unlessAborted(() => {
        throw fault;
      }, signal),
    ).rejects.toBe(fault);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('begins nothing when the signal was aborted before', async () => {
    const begin = vi.fn();

    await expect(unlessAborted(begin, AbortSignal.abort())).rejects.toThrow(AbortError);
    expect(begin).not.toHaveBeenCalled();
  });

  it('ends the wait with the signal, or as much later as it is patient', async () => {
    const [atOnce, patient] = [new AbortController(), new AbortController()];
    const late = Promise.withResolvers<string>();
    const cut = unlessAborted(() => late.promise, atOnce.signal);
    const inTime = unlessAborted(() => late.promise, patient.signal, 10_000);

    atOnce.abort();
    patient.abort();

    await expect(cut).rejects.toThrow(AbortError);
    late.resolve('late');
    expect(await inTime).toBe('late');
  });
});
