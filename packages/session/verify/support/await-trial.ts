import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SessionStore } from '../../src/index.ts';
import type { Acknowledgement } from './acknowledgements.ts';
import { countedEffects, countedPlan, countedTools, type Effects } from './counted-plan.ts';
import { contentsOf, doWork } from './do-work.ts';
import { effectFaults, endingFaults, logFaults, lostOf, openEffectsOf, outputsIn } from './judge.ts';
import { Life, livingStore, type Stop } from './life.ts';
import { withLease } from './store-wrappers.ts';

export interface AwaitTrialOptions {
  /** The store itself, which outlives every process. */
  readonly store: SessionStore;
  /** One process after another; after the last one a process does the rest undisturbed. */
  readonly stops: readonly Stop[];
  /** Takes a guard out of the store of the processes that are stopped. */
  readonly unguarded?: (store: SessionStore) => SessionStore;
  /** Outputs of an undisturbed session; undefined for that one itself. */
  readonly reference?: ReadonlyMap<string, string>;
}
export interface AwaitReport {
  /** What each stop was at; fewer than stops when a process came to its end before. */
  readonly stoppedAt: readonly string[];
  /** Points that the last process went through. */
  readonly points: number;
  readonly outputs: ReadonlyMap<string, string>;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly unknown: number;
  readonly faults: readonly string[];
}

/** One session whose processes end at the given points; then its work is finished, and judged. */
export async function awaitTrial({
  store,
  stops,
  unguarded = same,
  reference,
}: AwaitTrialOptions): Promise<AwaitReport> {
  const effects: Effects = new Map();
  const acknowledged: Acknowledgement[] = [];
  const [lost, faults, stoppedAt]: [string[], string[], string[]] = [[], [], []];
  const interrupted = new Set<string>();
  const look = async () => {
    const contents = await contentsOf(store);
    lost.push(...lostOf(acknowledged, contents));
    faults.push(...logFaults(contents.entries));
    return contents;
  };
  for (const stop of stops) {
    const life = new Life(stop);
    const ended = await liveOnce({
      life,
      store,
      guarded: unguarded(withLease(store, -1)),
      effects,
      acknowledged,
      faults,
    });
    const { entries } = await look();
    for (const callId of openEffectsOf(entries)) interrupted.add(callId);
    if (!ended) break;
    stoppedAt.push(life.last);
  }
  const last = new Life();
  await liveOnce({ life: last, store, guarded: withLease(store, -1), effects, acknowledged, faults });
  const contents = await look();
  const outputs = outputsIn(contents.entries);
  const { doubled, missing } = effectFaults(countedEffects(effects), contents.entries);
  faults.push(...endingFaults({ plan: countedPlan, contents, reference: reference ?? outputs, interrupted }));
  faults.push(...missing.map((callId) => `call ${callId} is answered and had no effect`));
  for (const one of acknowledged) if (one.kind === 'fault' || one.kind === 'failure') faults.push(JSON.stringify(one));
  return { stoppedAt, points: last.points, outputs, lost, doubled, unknown: interrupted.size, faults };
}

interface OneLife {
  readonly life: Life;
  readonly store: SessionStore;
  readonly guarded: SessionStore;
  readonly effects: Effects;
  readonly acknowledged: Acknowledgement[];
  readonly faults: string[];
}

/** True when the process ended at its point, false when its work came to an end. */
async function liveOnce({ life, store, guarded, effects, acknowledged, faults }: OneLife): Promise<boolean> {
  const work = doWork({
    plan: countedPlan,
    store: livingStore(guarded, life),
    look: store,
    options: { tools: countedTools(life, effects), allowedTools: ['book', 'charge', 'lookup'] },
    acknowledge: (one) => void acknowledged.push(one),
    pause: () => life.pass('in the model'),
  });
  const worked = work
    .catch((error: unknown) => void faults.push(`the work failed: ${String(error)}`))
    .then(() => false);
  const ended = await Promise.race([life.ended.then(() => true), worked]);
  // Writes that were under way when it ended come to their end, as they would in the kernel.
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  return ended;
}

function same(store: SessionStore): SessionStore {
  return store;
}
