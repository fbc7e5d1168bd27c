import { describe, expect, it } from 'vitest';
import { storedLog } from '../../test/support/logs.ts';
import { created, title } from '../../test/support/store-values.ts';
import { memoryStore, type SessionStore } from '../index.ts';
import { emptyState } from '../log/fold.ts';
import { RestingState } from './resting-state.ts';

const log = [created(), ...Array.from({ length: 200 }, (_, index) => title(`${index}`))];
const long = () => ({ ...emptyState(), head: 10_000 });
async function noticesOf(store: SessionStore) {
  const resting = new RestingState(store, 's', undefined).wake();
  resting.rest(long());
  await resting.close();
  return resting.takeNotices();
}

describe('RestingState', () => {
  it('reads the log after a run that could not begin, where there was nothing in memory', async () => {
    const resting = new RestingState(await storedLog(log), 's', undefined).wake();

    resting.settle();

    expect(resting.loaded).toBeUndefined();
    expect(resting.state).toMatchObject({ head: 201, title: '199' });
  });

  it('keeps what there was in memory after such a run', async () => {
    const state = { ...emptyState(), title: 'Kept.' };
    const resting = new RestingState(await storedLog(log), 's', state).wake();

    resting.settle();

    expect(resting.state).toBe(state);
  });

  it('tells once that no snapshot could be saved', async () => {
    const saveSnapshot = () => Promise.reject(new Error('disk full'));
    const store = { ...(await storedLog(log)), saveSnapshot };
    const resting = new RestingState(store, 's', undefined).wake();

    resting.rest(long());
    await resting.close();

    expect(resting.takeNotices()).toEqual([
      { type: 'notification', kind: 'snapshot_failed', message: expect.stringMatching(/session s .*: disk full$/) },
    ]);
    expect(resting.takeNotices()).toEqual([]);
  });

  it('tells nothing of it where the session is gone, or its store', async () => {
    const closed = memoryStore();
    await closed[Symbol.asyncDispose]();

    expect(await noticesOf(memoryStore())).toEqual([]);
    expect(await noticesOf(closed)).toEqual([]);
  });
});
