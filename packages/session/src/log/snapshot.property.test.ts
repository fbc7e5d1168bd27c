import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { folded, storedLog } from '../../test/support/logs.ts';
import { randomLog } from '../../test/support/random-log.ts';
import { title } from '../../test/support/store-values.ts';
import { loadState, loadStateNow } from './load-state.ts';
import { packState } from './pack-state.ts';
import type { SessionStore, Snapshot } from './session-store.ts';
import { isSnapshotDue, type Mark, SNAPSHOT_FORMAT, snapshotOf, stateIn } from './snapshot.ts';

const logAndCut = fc.tuple(randomLog, fc.nat()).map(([log, dice]) => ({ log, cut: 1 + (dice % log.length) }));

/** An entry of the session as a mark. */
async function markOf(store: SessionStore, number: number): Promise<Mark> {
  const [entry] = await Array.fromAsync(store.read('s', { after: number - 1, upTo: number }));
  return entry!;
}

/** The store, handing out another snapshot than it holds. */
function giving(store: SessionStore, snapshot: Snapshot): SessionStore {
  return { ...store, latestSnapshot: async () => snapshot, now: { ...store.now!, latestSnapshot: () => snapshot } };
}

describe('a snapshot', () => {
  test.prop([logAndCut])('and the entries behind it come to what the whole log comes to, at any cut', async (plan) => {
    const { log, cut } = plan;
    const store = await storedLog(log);
    await store.saveSnapshot('s', snapshotOf('s', folded(log.slice(0, cut)), await markOf(store, cut)));

    const [later, now] = [await loadState(store, 's'), loadStateNow(store.now!, 's')];

    expect(later).toMatchObject({ covered: cut, mark: { seq: log.length } });
    expect(later.state).toEqual(folded(log));
    expect(now).toEqual(later);
  });

  test.prop([logAndCut])('is not needed: what was folded before goes on from where it was', async ({ log, cut }) => {
    const store = await storedLog(log);
    const known = { state: folded(log.slice(0, cut)), covered: 0 };

    expect((await loadState(store, 's', { known })).state).toEqual(folded(log));
    expect(known.state.head).toBe(log.length);
  });

  test.prop([logAndCut, fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'with any byte changed, or cut anywhere, is not read',
    ({ log, cut }, at, change) => {
      const mark = { seq: cut, at: 'then', epoch: 1 };
      const snapshot = snapshotOf('s', folded(log.slice(0, cut)), mark);
      const { state } = snapshot;
      const place = at % state.length;

      const changed = state.with(place, state[place]! ^ change);

      expect(stateIn('s', { snapshot: { ...snapshot, state: changed }, mark })).toBeUndefined();
      expect(stateIn('s', { snapshot: { ...snapshot, state: state.subarray(0, place) }, mark })).toBeUndefined();
      expect(stateIn('s', { snapshot, mark: { ...mark, at: 'later' } })).toBeUndefined();
      expect(stateIn('s', { snapshot, mark: { ...mark, epoch: 2 } })).toBeUndefined();
      expect(stateIn('s', { snapshot, mark })).toEqual(folded(log.slice(0, cut)));
    },
  );

  it.each<[string, (snapshot: Snapshot, mark: Mark) => Snapshot]>([
    ['damaged', (snapshot) => ({ ...snapshot, state: snapshot.state.with(9, 0) })],
    ['empty', (snapshot) => ({ ...snapshot, state: new Uint8Array() })],
    [
      'of another session',
      ({ seq }, mark) => snapshotOf('t', { ...folded([]), head: seq, title: 'not this one' }, mark),
    ],
    [
      'of another log that had this id before',
      ({ seq }) =>
        snapshotOf('s', { ...folded([]), head: seq, title: 'not this one' }, { seq, at: 'before', epoch: 1 }),
    ],
    ['said to cover more than it does', (snapshot) => ({ ...snapshot, seq: snapshot.seq + 1 })],
    ['of another format', (snapshot) => ({ ...snapshot, format: SNAPSHOT_FORMAT + 1 })],
    [
      'of a longer log',
      (_, mark) => snapshotOf('s', { ...folded([]), head: 9, title: 'not this one' }, { ...mark, seq: 9 }),
    ],
  ])('that is %s is passed over, and the log is read', async (_what, change) => {
    const log = [title('a'), title('b'), title('c')];
    const store = await storedLog([{ type: 'session_created', format: 1, cwd: '/work' }, ...log]);
    const { state, mark } = await loadState(store, 's');
    const snapshot = change(snapshotOf('s', state, mark!), mark!);

    const given = giving(store, snapshot);
    const loaded = [await loadState(given, 's'), loadStateNow(given.now!, 's')];

    expect(loaded).toEqual([1, 2].map(() => ({ state, covered: 0, mark })));
  });

  it('holds texts of any script, wherever its bytes lie', () => {
    const mark = { seq: 1, at: 'then', epoch: 1 };
    const state = { ...folded([]), title: 'Grüße, \u4f60\u597d \u{1F600}' };
    const snapshot = snapshotOf('s', state, mark);

    const within = new Uint8Array([7, 7, 7, ...snapshot.state, 7]).subarray(3, -1);

    expect(stateIn('s', { snapshot: { ...snapshot, state: within }, mark })).toEqual(state);
  });

  it('of a session is not that of its copies', async () => {
    const store = await storedLog([{ type: 'session_created', format: 1, cwd: '/work' }, title('a'), title('b')]);
    const { state, mark } = await loadState(store, 's');
    await store.saveSnapshot('s', snapshotOf('s', state, mark!));

    await store.fork('s', 2, 'copy');

    expect(await loadState(store, 'copy')).toMatchObject({ state: { head: 2, title: 'a' }, covered: 0 });
  });

  it('has the shape that its format stands for: when this changes, raise SNAPSHOT_FORMAT', () => {
    const packed = new TextDecoder().decode(packState(folded([{ type: 'session_created', format: 1, cwd: '/' }])));

    expect([SNAPSHOT_FORMAT, packed]).toEqual([
      5,
      '{"head":1,"cwd":"/","format":1,"scopes":[],"usedCallIds":[],"runUsage":{"inputTokens":0,"outputTokens":0,"totalTokens":0}}\n',
    ]);
  });
});

describe('isSnapshotDue', () => {
  it.each([
    [199, 0, false],
    [200, 0, true],
    [1999, 1800, false],
    [2000, 1800, true],
    [10_000, 9_001, false],
    [10_000, 9_000, true],
  ])('says for %i entries of which %i are covered: %s', (head, covered, due) => {
    expect(isSnapshotDue(head, covered)).toBe(due);
  });
});
