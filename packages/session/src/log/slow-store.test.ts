import { AgentError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { codeOf } from '../../test/support/makers.ts';
import { record } from '../../test/support/random-log.ts';
import { created, title } from '../../test/support/store-values.ts';
import { memoryStore } from '../store/memory-store.ts';
import { SessionLog } from './session-log.ts';
import type { SessionStore } from './session-store.ts';
import { SlowStretch } from './slow-store.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

const slow = () => new AgentError('The disk is full', { code: 'STORE_FAILED', retryable: true });

/** A session whose store's method fails as long as `isSlow`: before it does anything, or `after` it has done it. */
async function opened(
  method: 'append' | 'putBlob',
  { when = 'before', signal }: { when?: 'before' | 'after'; signal?: AbortSignal } = {},
) {
  const memory = memoryStore();
  const state = { isSlow: true, tries: 0 };
  const act = async (...args: never[]) => {
    state.tries += 1;
    const { isSlow } = state;
    if (isSlow && when === 'before') throw slow();
    const result = await (memory[method] as (...given: never[]) => Promise<number>)(...args);
    if (isSlow) throw slow();
    return result;
  };
  const store: SessionStore = { ...memory, [method]: act };
  await store.create('s', created());
  const told: unknown[] = [];
  const stretch = new SlowStretch((error) => told.push(error));
  const lost: unknown[] = [];
  const log = await SessionLog.open({ store, sessionId: 's', onLost: (reason) => lost.push(reason), stretch, signal });
  return { store, state, told, lost, log };
}

const titlesIn = async (store: SessionStore) =>
  (await Array.fromAsync(store.read('s'))).flatMap(({ body }) => (body.type === 'title' ? [body.title] : []));

describe('an append to a slow store', () => {
  it('waits, and later ones wait behind it: each is recorded once, in order', async () => {
    const { store, state, log, told, lost } = await opened('append');

    const appending = ['a', 'b', 'c'].map((text) => log.append([title(text)]));
    await vi.advanceTimersByTimeAsync(20_000);
    const later = log.append([title('d')]);
    state.isSlow = false;
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all([...appending, later]);

    expect(await titlesIn(store)).toEqual(['a', 'b', 'c', 'd']);
    expect(log.state).toMatchObject({ head: 5, title: 'd' });
    expect([told.length, lost]).toEqual([1, []]);
    await log.close();
  });

  it('is found recorded when only the answer was lost, and is not doubled', async () => {
    const { store, state, log, lost } = await opened('append', { when: 'after' });

    const appending = ['a', 'b'].map((text) => log.append([title(text)]));
    await vi.advanceTimersByTimeAsync(10);
    state.isSlow = false;
    await vi.advanceTimersByTimeAsync(3_000);
    await Promise.all(appending);
    await log.append([title('c')]);

    expect(await titlesIn(store)).toEqual(['a', 'b', 'c']);
    expect([log.state.head, lost]).toEqual([4, []]);
    await log.close();
  });

  it('is lost to what somebody else has put in its place', async () => {
    const { store, state, log, lost } = await opened('append');
    const appending = codeOf(log.append([title('mine')]));
    await vi.advanceTimersByTimeAsync(10);

    state.isSlow = false;
    await store.append('s', { epoch: 1, head: 1 }, [title('not mine')]);
    await vi.advanceTimersByTimeAsync(2_000);

    expect(await appending).toBe('SESSION_CONFLICT');
    expect(lost).toMatchObject([{ code: 'SESSION_CONFLICT' }]);
    expect(await titlesIn(store)).toEqual(['not mine']);
  });

  it('fails when the lease has run out', async () => {
    const { log, state } = await opened('append');
    state.isSlow = true;
    const appending = Promise.all([codeOf(log.append([title('a')])), codeOf(log.append([title('b')]))]);

    await log.close();
    await vi.advanceTimersByTimeAsync(32_000);

    expect(await appending).toEqual(['STORE_FAILED', 'STORE_FAILED']);
    expect(await codeOf(log.append([title('c')]))).toBe('STORE_FAILED');
  });

  it('is not tried again once its run was aborted, not even in a pause', async () => {
    const abort = new AbortController();
    const { log, state } = await opened('append', { signal: abort.signal });

    const appending = codeOf(log.append([title('a')]));
    await vi.advanceTimersByTimeAsync(10);
    const before = state.tries;
    abort.abort();

    expect(await appending).toBe('STORE_FAILED');
    expect(state.tries).toBe(before);
    await log.close();
  });

  it('waits with its large bodies', async () => {
    const { store, state, log, lost } = await opened('putBlob');
    const result = { output: 'x'.repeat(400_000), isError: false };
    const large = record({ type: 'tool_finished', callId: 'c', result, durationMs: 1 });

    const appending = [log.append([large]), log.append([title('after')])];
    await vi.advanceTimersByTimeAsync(10_000);
    state.isSlow = false;
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all(appending);

    expect((await Array.fromAsync(store.read('s'))).map(({ body }) => body.type)).toEqual([
      'session_created',
      'blob',
      'title',
    ]);
    expect(lost).toEqual([]);
    await log.close();
  });

  it('tells of each stretch once', async () => {
    const { state, log, told } = await opened('append');

    for (const text of ['a', 'b']) {
      state.isSlow = true;
      const appending = log.append([title(text)]);
      await vi.advanceTimersByTimeAsync(5_000);
      state.isSlow = false;
      await vi.advanceTimersByTimeAsync(2_000);
      await appending;
    }

    expect(told).toMatchObject([{ message: 'The disk is full' }, { message: 'The disk is full' }]);
    await log.close();
  });
});
