import { describe, expect, it } from 'vitest';
import { deleteSession, exportSession, importSession, memoryStore, type SessionStore } from '../../src/index.ts';
import { loadState } from '../../src/log/load-state.ts';
import { SNAPSHOT_FORMAT } from '../../src/log/snapshot.ts';
import { folded, storedLog } from '../support/logs.ts';
import { bodiesOf, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { created, title } from '../support/store-values.ts';

/** A session with as many runs, in a store of its own. */
async function talked(runs: number, store: SessionStore = memoryStore()) {
  const { session, model } = await scriptedSession(() => ({ text: 'Done.' }), { store });
  for (let run = 1; run <= runs; run++) await say(session, `said ${runs}.${run}`);
  return { session, model, store };
}

/** Removes a session, and puts another one in its place. */
async function replace(store: SessionStore, sessionId: string, other: { store: SessionStore; sessionId: string }) {
  const lines = await Array.fromAsync(exportSession(other.sessionId, { store: other.store }));
  await deleteSession(sessionId, { store });
  const then = Date.now();
  while (Date.now() === then) await new Promise((resolve) => setImmediate(resolve));
  await importSession(lines, { store, sessionId });
}

describe('a session whose id another log has taken', () => {
  it.each([
    ['longer', 2, 3],
    ['as long', 2, 2],
    ['shorter', 2, 1],
  ])('goes on with that one when it is %s', async (_what, runs, otherRuns) => {
    const { session, model, store } = await talked(runs);
    await say(session, 'once more');
    const other = await talked(otherRuns + 1);
    await replace(store, session.sessionId, { store: other.store, sessionId: other.session.sessionId });

    await say(session, 'after all');

    const said = model.requests.at(-1)!.messages;
    expect(said.slice(0, -1)).toEqual(other.session.messages);
    const { scopes } = folded(await bodiesOf(store, session.sessionId));
    expect(session.messages).toEqual(scopes.get('')?.messages);
  });

  it('is not mistaken for the removed one by a snapshot of that', async () => {
    const titles = (what: string) => Array.from({ length: 300 }, (_, index) => title(`${what} ${index}`));
    const inner = await storedLog([created('/tmp'), ...titles('old')]);
    const other = await storedLog([created('/tmp'), ...titles('new'), ...titles('newer')]);
    const store: SessionStore = {
      ...inner,
      async saveSnapshot(...asked) {
        await replace(inner, 's', { store: other, sessionId: 's' });
        await inner.saveSnapshot(...asked);
      },
    };
    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));
    await say(session, 'hello');
    await session.close();

    const found = await loadState(inner, 's');

    expect(await inner.latestSnapshot('s', SNAPSHOT_FORMAT)).toBeDefined();
    expect(found).toMatchObject({ covered: 0, state: { title: 'newer 299' } });
  });

  it('is not kept from running by an owner of the removed one', async () => {
    const { session, store } = await talked(1);
    const { sessionId } = session;
    const stale = (await store.acquire(sessionId, 'of the removed one', 0))!;
    const other = { store, sessionId };
    await replace(store, sessionId, other);
    const lease = (await store.acquire(sessionId, 'the next one', 60_000))!;

    const renewed = await store.renew(stale, 60_000);
    await store.release(stale);

    expect(lease.epoch).toBeGreaterThan(stale.epoch);
    expect(renewed).toBe(false);
    expect(await store.renew(lease, 60_000)).toBe(true);
  });
});
