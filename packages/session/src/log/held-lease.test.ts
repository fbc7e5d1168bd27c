import { AgentError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { codeOf } from '../../test/support/makers.ts';
import { created, title } from '../../test/support/store-values.ts';
import { memoryStore } from '../store/memory-store.ts';
import { HeldLease } from './held-lease.ts';
import { SessionLog } from './session-log.ts';
import type { SessionStore } from './session-store.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: [...TIMERS, 'performance'] }));
afterEach(() => void vi.useRealTimers());

const TIMERS = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
const failed = (retryable?: true) =>
  Promise.reject(new AgentError('The disk sleeps', { code: 'STORE_FAILED', ...(retryable ? { retryable } : {}) }));

/** A session and its owner's log; `lost` is what the owner was told. */
async function opened(change: (store: SessionStore) => Partial<SessionStore>, signal?: AbortSignal) {
  const memory = memoryStore();
  const store: SessionStore = { ...memory, ...change(memory) };
  await store.create('s', created());
  const lost: unknown[] = [];
  const onLost = (reason: unknown) => void lost.push(reason);
  return { memory, lost, log: await SessionLog.open({ store, sessionId: 's', onLost, signal }) };
}

describe('a lease', () => {
  it('is renewed while it is open, and no more when it is closed', async () => {
    let renewals = 0;
    const { log, lost } = await opened(({ renew }) => ({ renew: (...args) => (renewals++, renew(...args)) }));

    await vi.advanceTimersByTimeAsync(29_000);
    const before = renewals;
    await log.close();
    await vi.advanceTimersByTimeAsync(60_000);

    expect([before, renewals]).toEqual([5, 5]);
    expect(lost).toEqual([]);
  });

  it('is lost at once when a renewal is refused (ZD05)', async () => {
    const { log, lost } = await opened(() => ({ renew: async () => false }));

    await vi.advanceTimersByTimeAsync(5_000);

    expect(lost).toMatchObject([{ code: 'SESSION_FENCED' }]);
    await expect(log.append([title('a')])).rejects.toBe(lost[0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(['SESSION_FENCED', 'SESSION_NOT_FOUND', 'SESSION_CONFLICT', 'SESSION_CLOSED', 'LOG_DAMAGED', 'LOG_TOO_NEW'])(
    'is lost at once when its renewal fails with %s',
    async (code) => {
      const { lost } = await opened(() => ({ renew: () => Promise.reject(new AgentError('gone', { code })) }));

      await vi.advanceTimersByTimeAsync(5_000);

      expect(lost).toMatchObject([{ code }]);
    },
  );

  it.each([[undefined], [true] as const])(
    'is lost when its renewals have failed until its end, not before (retryable: %s)',
    async (retryable) => {
      let renewals = 0;
      const { log, lost } = await opened(() => ({ renew: () => (renewals++, failed(retryable)) }));

      await vi.advanceTimersByTimeAsync(29_999);
      const before = [...lost];
      await vi.advanceTimersByTimeAsync(1);

      expect(before).toEqual([]);
      expect(renewals).toBeGreaterThan(15);
      expect(lost).toMatchObject([{ message: 'The disk sleeps' }]);
      await expect(log.append([title('a')])).rejects.toBe(lost[0]);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('is lost at its end when a renewal is never answered', async () => {
    const { lost } = await opened(() => ({ renew: () => new Promise(() => undefined) }));

    await vi.advanceTimersByTimeAsync(29_999);
    const before = [...lost];
    await vi.advanceTimersByTimeAsync(1);

    expect(before).toEqual([]);
    expect(lost).toMatchObject([{ code: 'STORE_FAILED' }]);
  });

  it('goes on when the store answers again before its end', async () => {
    let isSlow = true;
    const { log, lost } = await opened(({ renew }) => ({ renew: (...args) => (isSlow ? failed() : renew(...args)) }));

    await vi.advanceTimersByTimeAsync(25_000);
    isSlow = false;
    await vi.advanceTimersByTimeAsync(300_000);

    expect(lost).toEqual([]);
    await log.append([title('a')]);
    expect(log.state.head).toBe(2);
  });

  it.each([
    ['kept', false],
    ['lost to who has taken it', true],
  ])('is %s when the whole process stood still past its end', async (_what, isTaken) => {
    const { lost, log } = await opened(() => (isTaken ? { renew: async () => false } : {}));
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);

    vi.advanceTimersByTime(30_000); // every timer is due at once
    await vi.advanceTimersByTimeAsync(5_000);

    expect(lost).toMatchObject(isTaken ? [{ code: 'SESSION_FENCED' }] : []);
    await log.close();
  });
});

describe('giving a lease back', () => {
  it('is tried again while the store is slow', async () => {
    let isSlow = true;
    const { log, memory } = await opened(({ release }) => ({
      release: (lease) => (isSlow ? failed(true) : release(lease)),
    }));

    const closing = log.close();
    await vi.advanceTimersByTimeAsync(4_000);
    isSlow = false;
    await vi.advanceTimersByTimeAsync(2_000);
    await closing;

    expect(await memory.acquire('s', 'other', 1000)).toBeDefined();
  });

  it('is over when the lease has run out, and after an abort at once', async () => {
    const abort = new AbortController();
    const first = await opened(() => ({ release: () => failed(true) }));
    const second = await opened(() => ({ release: () => failed(true) }), abort.signal);

    const closing = first.log.close();
    await vi.advanceTimersByTimeAsync(32_000);
    await closing;
    abort.abort();
    await second.log.close();

    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails when the store fails for good', async () => {
    const { log } = await opened(() => ({ release: () => failed() }));

    expect(await codeOf(log.close())).toBe('STORE_FAILED');
  });
});

describe('taking a lease', () => {
  it('waits for a slow store', async () => {
    const store = memoryStore();
    await store.create('s', created());
    let isSlow = true;
    const acquire: SessionStore['acquire'] = (...args) => (isSlow ? failed(true) : store.acquire(...args));

    const taking = HeldLease.take({ store: { ...store, acquire }, sessionId: 's', onLost: () => undefined });
    await vi.advanceTimersByTimeAsync(20_000);
    isSlow = false;
    await vi.advanceTimersByTimeAsync(2_000);
    const held = await taking;

    expect(held.until).toBeGreaterThan(performance.now() + 25_000);
    await held.release(Promise.resolve());
  });
});
