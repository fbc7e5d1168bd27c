import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { EntryBody, ISession, SessionStore } from '../../src/index.ts';
import { apply, emptyState, type SessionState, scopeOf } from '../../src/log/fold.ts';
import { loadState, loadStateNow } from '../../src/log/load-state.ts';
import { SNAPSHOT_FORMAT } from '../../src/log/snapshot.ts';
import type { Acknowledgement } from './acknowledgements.ts';
import { countedEffects, countedPlan, countedTools, type Effects } from './counted-plan.ts';
import { contentsOf, doWork } from './do-work.ts';
import { effectFaults, endingFaults, logFaults, lostOf, openEffectsOf, outputsIn } from './judge.ts';
import { Life, livingStore, type Stop } from './life.ts';
import { withLease } from './store-wrappers.ts';

/** Entries that another process adds before each life: enough for a snapshot at the end of the next run. */
const PADDING = 210;
const SESSION = 'long';

export interface SnapshotTrialOptions {
  readonly store: SessionStore;
  readonly stops: readonly Stop[];
  /** Changes the store of the processes that are stopped. */
  readonly unguarded?: (store: SessionStore) => SessionStore;
  readonly reference?: ReadonlyMap<string, string>;
}
export interface SnapshotReport {
  readonly stoppedAt: readonly string[];
  readonly points: number;
  readonly outputs: ReadonlyMap<string, string>;
  /** How often the log was read by way of a snapshot. */
  readonly fromSnapshots: number;
  readonly faults: readonly string[];
}

/** One long session whose processes end at the given points; what is read of it by way of snapshots is always what the whole log comes to. */
export async function snapshotTrial({
  store,
  stops,
  unguarded = same,
  reference,
}: SnapshotTrialOptions): Promise<SnapshotReport> {
  const effects: Effects = new Map();
  const acknowledged: Acknowledgement[] = [];
  const [faults, stoppedAt]: [string[], string[]] = [[], []];
  const interrupted = new Set<string>();
  let fromSnapshots = 0;
  await store.create(SESSION, { type: 'session_created', format: 1, cwd: process.cwd() });
  const live = async (life: Life, guard: (store: SessionStore) => SessionStore): Promise<boolean> => {
    await addTo(
      store,
      Array.from({ length: PADDING }, (_, index) => ({ type: 'title', title: `Title ${index}` })),
    );
    const ended = await liveOnce({ life, store, guard, effects, acknowledged, faults });
    const contents = await contentsOf(store);
    faults.push(...lostOf(acknowledged, contents).map((one) => `lost ${one}`), ...logFaults(contents.entries));
    for (const callId of openEffectsOf(contents.entries)) if (ended) interrupted.add(callId);
    const { covered, differences } = await differencesIn(store);
    faults.push(...differences);
    if (covered > 0) fromSnapshots += 1;
    return ended;
  };
  for (const stop of stops) {
    const life = new Life(stop);
    if (!(await live(life, unguarded))) break;
    stoppedAt.push(life.last);
  }
  const last = new Life();
  await live(last, same);
  const contents = await contentsOf(store);
  const outputs = outputsIn(contents.entries);
  const { doubled, missing } = effectFaults(countedEffects(effects), contents.entries);
  faults.push(...endingFaults({ plan: countedPlan, contents, reference: reference ?? outputs, interrupted }));
  faults.push(...doubled.map((callId) => `doubled ${callId}`), ...missing.map((callId) => `no effect of ${callId}`));
  for (const one of acknowledged) if (one.kind === 'fault' || one.kind === 'failure') faults.push(JSON.stringify(one));
  if (!(await store.acquire(SESSION, 'afterwards', 1))) faults.push('a lease was left behind');
  return { stoppedAt, points: last.points, outputs, fromSnapshots, faults };
}

interface OneLife {
  readonly life: Life;
  readonly store: SessionStore;
  readonly guard: (store: SessionStore) => SessionStore;
  readonly effects: Effects;
  readonly acknowledged: Acknowledgement[];
  readonly faults: string[];
}

/** True when the process ended at its point, false when its work came to an end. */
async function liveOnce({ life, store, guard, effects, acknowledged, faults }: OneLife): Promise<boolean> {
  const work = doWork({
    plan: countedPlan,
    store: withSnapshotPoints(guard(withLease(store, -1)), life),
    look: store,
    options: { tools: countedTools(life, effects), allowedTools: ['book', 'charge', 'lookup'] },
    acknowledge: (one) => void acknowledged.push(one),
    pause: async () => {
      await nextTurn(); // snapshots are taken when nobody waits
      await life.pass('in the model');
    },
    done: async (session) => {
      await session.setTitle(`At last, after ${life.points} points`);
      faults.push(...(await shownFaults(session, store)));
    },
  });
  const worked = work
    .catch((error: unknown) => void faults.push(`the work failed: ${String(error)}`))
    .then(() => false);
  const ended = await Promise.race([life.ended.then(() => true), worked]);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  return ended;
}

/** The store of a life, in which taking and reading a snapshot are points too. */
function withSnapshotPoints(store: SessionStore, life: Life): SessionStore {
  return {
    ...livingStore(store, life),
    saveSnapshot: (...asked) => life.through('saveSnapshot', () => store.saveSnapshot(...asked)),
    latestSnapshot: (...asked) => life.through('latestSnapshot', () => store.latestSnapshot(...asked)),
  };
}

/** What another process records between two lives. */
async function addTo(store: SessionStore, bodies: readonly EntryBody[]): Promise<void> {
  const lease = await store.acquire(SESSION, 'another process', 60_000);
  if (!lease) throw new Error('The lease of a dead process is still held');
  await store.append(SESSION, lease, bodies);
  await store.release(lease);
}

async function wholeOf(store: SessionStore): Promise<SessionState> {
  const state = emptyState();
  for await (const { body } of store.read(SESSION)) apply(state, body);
  return state;
}

async function differencesIn(store: SessionStore): Promise<{ covered: number; differences: string[] }> {
  const whole = await wholeOf(store);
  const { state, covered } = await loadState(store, SESSION);
  const now = store.now && loadStateNow(store.now, SESSION);
  const differences: string[] = [];
  if (!isDeepStrictEqual(state, whole)) differences.push(`snapshot ${covered} and the rest differ from the whole log`);
  if (now && !isDeepStrictEqual(now.state, whole))
    differences.push(`read at once, snapshot ${covered} gives another state`);
  const snapshot = await store.latestSnapshot(SESSION, SNAPSHOT_FORMAT);
  if (snapshot && covered === 0) differences.push(`snapshot ${snapshot.seq} is not used`);
  return { covered, differences };
}

async function shownFaults(session: ISession, store: SessionStore): Promise<string[]> {
  const whole = await wholeOf(store);
  const faults = isDeepStrictEqual(session.messages, scopeOf(whole, []).messages)
    ? []
    : ['the session shows other messages'];
  return session.title === whole.title ? faults : [...faults, `the session shows the title ${session.title}`];
}

function same(store: SessionStore): SessionStore {
  return store;
}
