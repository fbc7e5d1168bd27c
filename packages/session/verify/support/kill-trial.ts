import { setImmediate as nextTurn } from 'node:timers/promises';
import { demoEffects, demoPlan } from './demo-plan.ts';
import {
  allowedIn,
  effectFaults,
  endingFaults,
  logFaults,
  lostOf,
  openEffectsOf,
  standOf,
  unknownOf,
} from './judge.ts';
import type { Plan } from './plan.ts';
import {
  clear,
  layTrial,
  type Remains,
  type RunningChild,
  remainsOf,
  type StartOptions,
  startChild,
  type Trial,
} from './trial-folder.ts';

export interface KillTrialOptions {
  readonly guard: Trial['guard'];
  /** Outputs of an undisturbed session. */
  readonly reference: ReadonlyMap<string, string>;
  /** Waits in the beginning process until it is to be killed, or it has ended. */
  readonly moment: (child: RunningChild, trial: Trial) => Promise<unknown>;
  /** Kills after which the session is left to end. */
  readonly maxKills: number;
  /** Default: the demo. */
  readonly plan?: { readonly name: Trial['planName']; readonly plan: Plan };
  readonly start?: StartOptions;
  /** Ends the process; default: SIGKILL. */
  readonly end?: (child: RunningChild, trial: Trial) => void;
  /** Looks at a process that goes on after a kill, while it does: what is wrong. */
  readonly goesOn?: (child: RunningChild, trial: Trial) => Promise<readonly string[]>;
}

const DEMO = { name: 'demo', plan: demoPlan } as const;
export interface KillReport {
  /** Where each kill found the log. */
  readonly stands: readonly string[];
  /** The first kill came before anything was sent; nothing else was looked at. */
  readonly early: boolean;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly unknown: readonly string[];
  /** Calls reported as unknown whose effect did happen. */
  readonly tookEffect: number;
  readonly faults: readonly string[];
}

/** One session, killed at moments and resumed in a fresh process each time, until its work is done; then judged. */
export async function killTrial(options: KillTrialOptions): Promise<KillReport> {
  const { plan, name } = options.plan ?? DEMO;
  const trial = await layTrial(plan, { planName: name, guard: options.guard });
  try {
    return await runTrial(trial, options);
  } finally {
    await clear(trial);
  }
}

/** Waits until so much has happened, or the process has ended. */
export async function until(child: RunningChild, happened: () => Promise<boolean>): Promise<void> {
  let ended = false;
  void child.ended.then(() => (ended = true));
  while (!ended && !(await happened())) await nextTurn();
}

async function runTrial(trial: Trial, options: KillTrialOptions): Promise<KillReport> {
  const { reference, moment, maxKills, plan: { plan } = DEMO, start = {}, goesOn } = options;
  const end = options.end ?? ((child: RunningChild) => void child.process.kill('SIGKILL'));
  const faults: string[] = [];
  const lost: string[] = [];
  const stands: string[] = [];
  const interrupted = new Set<string>();
  let [allowed, told]: [ReadonlySet<string>, number] = [new Set(), 0];
  for (;;) {
    const child = startChild(trial, start);
    await child.begun;
    const looking = stands.length > 0 ? goesOn?.(child, trial) : undefined;
    if (stands.length < maxKills) {
      await moment(child, trial);
      end(child, trial);
    }
    const ended = await child.ended;
    faults.push(...((await looking) ?? []));
    const remains = await remainsOf(trial);
    const { acknowledged, contents } = remains;
    if (stands.length === 0 && ended.signal && !acknowledged.some(({ kind }) => kind === 'sent')) return tooEarly();
    lost.push(...lostOf(acknowledged, contents));
    for (const one of acknowledged.slice(told)) {
      if (one.kind === 'asked' && allowed.has(one.callId)) faults.push(`asked about ${one.callId} again`);
    }
    [allowed, told] = [allowedIn(contents.entries), acknowledged.length];
    faults.push(...remains.damage, ...logFaults(contents.entries));
    if (ended.signal) {
      stands.push(standOf(contents.entries));
      for (const callId of openEffectsOf(contents.entries)) interrupted.add(callId);
      continue;
    }
    if (ended.code !== 0) faults.push(`a process ended with ${ended.code}: ${ended.errors}`);
    faults.push(...endingFaults({ plan, contents, reference, interrupted }), ...requestFaultsIn(remains));
    return await judged(trial, remains, { plan, stands, lost, faults });
  }
}

async function judged(
  trial: Trial,
  { contents: { entries } }: Remains,
  { plan, stands, lost, faults }: Pick<KillReport, 'stands' | 'lost' | 'faults'> & { readonly plan: Plan },
): Promise<KillReport> {
  const effects = await demoEffects(trial.workspace, plan);
  const { doubled, missing } = effectFaults(effects, entries);
  const unknown = unknownOf(entries);
  return {
    stands,
    early: false,
    lost,
    doubled,
    unknown,
    tookEffect: unknown.filter((callId) => effects.get(callId) === 1).length,
    faults: [...faults, ...missing.map((callId) => `call ${callId} is answered and had no effect`)],
  };
}

function requestFaultsIn({ acknowledged }: Remains): string[] {
  return acknowledged.flatMap((one) => {
    if (one.kind === 'fault') return [`a request: ${one.text}`];
    return one.kind === 'failure' ? [`a failure: ${one.code}`] : [];
  });
}

function tooEarly(): KillReport {
  return { stands: [], early: true, lost: [], doubled: [], unknown: [], tookEffect: 0, faults: [] };
}
