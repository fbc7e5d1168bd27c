import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ISession, SessionStore } from '../../src/index.ts';
import type { Acknowledgement } from './acknowledgements.ts';
import { type Contents, contentsOf, doWork } from './do-work.ts';
import { guardedHost } from './guarded-host.ts';
import { askedAgainFaults, effectFaultsOf, guardedFaults } from './guarded-judge.ts';
import type { GuardedPlan } from './guarded-plan.ts';
import { guardedService, type ServiceState } from './guarded-service.ts';
import { allowedIn, logFaults, lostOf, openEffectsOf } from './judge.ts';
import { Life, livingStore, type Stop } from './life.ts';
import { lostCallFaults } from './scope-judge.ts';
import { sessionFaults } from './session-judge.ts';
import { withLease } from './store-wrappers.ts';
import { Witness } from './witness.ts';

export interface GuardedTrialOptions {
  readonly plan: GuardedPlan;
  /** The store itself, which outlives every process. */
  readonly store: SessionStore;
  /** One process after another; after the last one a process does the rest undisturbed. */
  readonly stops: readonly Stop[];
  /** Takes a guard out of the store of all processes. */
  readonly unguarded?: (store: SessionStore) => SessionStore;
  /** What an undisturbed session has left; undefined for that one itself. */
  readonly reference?: GuardedReport;
}
export interface GuardedReport {
  /** What each stop was at; fewer than stops when a process came to its end before. */
  readonly stoppedAt: readonly string[];
  /** Points that the last process went through. */
  readonly points: number;
  readonly contents: Contents;
  readonly acknowledged: readonly Acknowledgement[];
  readonly lost: readonly string[];
  /** Effects that happened twice, without leave, or on the wrong item. */
  readonly effects: readonly string[];
  /** Questions about calls that had their answer. */
  readonly askedAgain: readonly string[];
  readonly unknown: number;
  readonly questions: number;
  readonly faults: readonly string[];
}

/** One session of the plan whose processes end at the given points; then its work is finished, and judged. */
export async function guardedTrial(options: GuardedTrialOptions): Promise<GuardedReport> {
  const { plan, store, stops, unguarded = same, reference } = options;
  const witness = new Witness();
  const state: ServiceState = { failed: new Set(), refused: new Map(), extra: 0 };
  const acknowledged: Acknowledgement[] = [];
  const [lost, faults, stoppedAt]: [string[], string[], string[]] = [[], [], []];
  const interrupted = new Set<string>();
  const allowed: ReadonlySet<string>[] = [];
  const live = async (life: Life) => {
    allowed[witness.nextLife()] = allowedIn((await contentsOf(store)).entries);
    const guarded = unguarded(withLease(store, -1));
    const ended = await liveOnce({ plan, life, store, guarded, state, witness, acknowledged, faults });
    const contents = await contentsOf(store);
    lost.push(...lostOf(acknowledged, contents));
    faults.push(...logFaults(contents.entries));
    return { ended, contents };
  };
  for (const stop of stops) {
    const life = new Life(stop);
    const { ended, contents } = await live(life);
    for (const callId of openEffectsOf(contents.entries)) interrupted.add(callId);
    if (!ended) break;
    stoppedAt.push(life.last);
  }
  const last = new Life();
  const { contents } = await live(last);
  const effects = effectFaultsOf({ plan, witness, allowed, entries: contents.entries });
  const askedAgain = askedAgainFaults(witness, allowed);
  faults.push(...guardedFaults({ plan, contents, acknowledged, interrupted, reference }));
  faults.push(...lostCallFaults(contents.entries, stoppedAt));
  for (const one of acknowledged) if (one.kind === 'fault' || one.kind === 'failure') faults.push(JSON.stringify(one));
  const { questions } = witness;
  const counts = { points: last.points, unknown: interrupted.size, questions: questions.length };
  return { stoppedAt, ...counts, contents, acknowledged, lost, effects, askedAgain, faults };
}

interface OneLife {
  readonly plan: GuardedPlan;
  readonly life: Life;
  readonly store: SessionStore;
  readonly guarded: SessionStore;
  readonly state: ServiceState;
  readonly witness: Witness;
  readonly acknowledged: Acknowledgement[];
  readonly faults: string[];
}

/** True when the process ended at its point, false when its work came to an end. */
async function liveOnce(options: OneLife): Promise<boolean> {
  const { plan, life, store, guarded, state, witness, acknowledged, faults } = options;
  const onFault = (text: string) => void faults.push(`a request: ${text}`);
  const provider = guardedService({ plan, state, witness, life, onFault });
  const runs = Object.keys(plan.agents).filter((name) => /^r\d$/.test(name));
  let steer = async () => {};
  const host = guardedHost({ plan, life, witness, steer: () => steer() });
  const work = doWork({
    plan: runs.map(() => []),
    store: livingStore(guarded, life),
    look: store,
    options: { ...host, provider, model: 'main' },
    acknowledge: (one) => void acknowledged.push(one),
    pause: async () => undefined,
    meanwhile: (send) => void (steer = send),
    done: async (session: ISession) => void faults.push(...(await sessionFaults(session, store))),
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
