import { fc, test } from '@fast-check/vitest';
import { AbortError } from '@x/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoff, backoffMs, sleep } from './retry.ts';

describe('sleep and backoff', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('sleeps as long as it was told', async () => {
    const slept = vi.fn<() => void>();
    const sleeping = sleep(1_000).then(slept);

    await vi.advanceTimersByTimeAsync(999);
    expect(slept).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    await sleeping;
    expect(slept).toHaveBeenCalledOnce();
  });

  it('sleeps longer than a timer can', async () => {
    const slept = vi.fn<() => void>();
    const sleeping = sleep(2 ** 31 + 5_000).then(slept);

    await vi.advanceTimersByTimeAsync(2 ** 31 + 4_999);
    expect(slept).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    await sleeping;
  });

  it('rejects at once when aborted, and leaves no timer (E09, E13)', async () => {
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);

    controller.abort();

    await expect(sleeping).rejects.toBeInstanceOf(AbortError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects without a timer when the signal is aborted already (E13)', async () => {
    await expect(sleep(60_000, AbortSignal.abort())).rejects.toBeInstanceOf(AbortError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes its listener from the signal when it is done', async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const sleeping = sleep(10, signal);

    await vi.advanceTimersByTimeAsync(10);
    await sleeping;

    expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [6, 15_000],
    [50, 15_000],
  ])('backs off after attempt %d at most %d ms, with full jitter (E07)', async (attempt, ceilingMs) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const waited = vi.fn<() => void>();
    const waiting = backoff(attempt).then(waited);

    await vi.advanceTimersByTimeAsync(ceilingMs - 1);
    expect(waited).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    await waiting;
  });

  it('backs off abortably, by its own base and ceiling (E13)', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const controller = new AbortController();
    const waiting = backoff(9, { baseMs: 10, maxMs: 20, signal: controller.signal });

    await vi.advanceTimersByTimeAsync(19);
    controller.abort();

    await expect(waiting).rejects.toBeInstanceOf(AbortError);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.prop([fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 60_000 })])(
    'never waits longer than its ceiling (E07)',
    async (attempt, baseMs, maxMs) => {
      vi.useFakeTimers();
      const waiting = backoff(attempt, { baseMs, maxMs });

      await vi.advanceTimersByTimeAsync(Math.min(maxMs, baseMs * 2 ** (attempt - 1)));

      await waiting;
    },
  );
});

describe('backoffMs', () => {
  it('is a number however many attempts there were (E07)', () => {
    expect(backoffMs(5_000, { baseMs: 0 })).toBe(0);
    expect(backoffMs(5_000)).toBeLessThanOrEqual(30_000);
  });

  test.prop([fc.integer({ min: 1, max: 60 })])('is at most the doubled base and at most the cap', (attempt) => {
    const waitMs = backoffMs(attempt, { baseMs: 100, maxMs: 5_000 });

    expect(waitMs).toBeGreaterThanOrEqual(0);
    expect(waitMs).toBeLessThanOrEqual(Math.min(5_000, 100 * 2 ** (attempt - 1)));
  });
});
