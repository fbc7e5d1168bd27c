import { test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { folded, storedLog } from '../../test/support/logs.ts';
import { randomLog } from '../../test/support/random-log.ts';
import { created, title } from '../../test/support/store-values.ts';
import { loadState } from './load-state.ts';
import { SNAPSHOT_FORMAT, stateIn } from './snapshot.ts';
import { saveState } from './take-snapshot.ts';

const always = () => true;

describe('saveState', () => {
  test.prop([randomLog])('saves what the log comes to, of what was folded of it', async (log) => {
    const store = await storedLog(log);
    const { mark } = await loadState(store, 's');

    const isSaved = await saveState(store, 's', { state: folded(log), covered: 0, mark }, always);

    const snapshot = (await store.latestSnapshot('s', SNAPSHOT_FORMAT))!;
    expect(isSaved).toBe(true);
    expect(stateIn('s', { snapshot, mark: mark! })).toEqual(folded(log));
  });

  it('saves nothing for a log that has taken the place of the one that was folded', async () => {
    const log = [created('/tmp'), title('a'), title('b')];
    const store = await storedLog(log);
    const loaded = await loadState(store, 's');
    await store.remove('s');
    await storedLog(log, store);

    expect(await saveState(store, 's', loaded, always)).toBe(false);
    expect(await store.latestSnapshot('s', SNAPSHOT_FORMAT)).toBeUndefined();
  });

  it('saves nothing once a run may change the state, however far it is', async () => {
    const message = { id: 'm', createdAt: '', role: 'user', content: [{ type: 'text', text: 'Hello.' }] } as const;
    const said = Array.from({ length: 100 }, (_, index) => {
      return {
        type: 'record',
        scope: [],
        record: { type: 'message', message: { ...message, id: `m${index}` } },
      } as const;
    });
    const store = await storedLog([created('/tmp'), ...said]);
    const loaded = await loadState(store, 's');

    for (const steps of [0, 1, 3]) {
      let left = steps;
      expect(await saveState(store, 's', loaded, () => left-- > 0)).toBe(false);
    }
    expect(await store.latestSnapshot('s', SNAPSHOT_FORMAT)).toBeUndefined();
  });
});
