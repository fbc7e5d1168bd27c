import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { acknowledgedIn } from './acknowledgements.ts';
import { demoEffects, demoPlan } from './demo-plan.ts';
import { effectFaults, endingFaults, logFaults, lostOf, openEffectsOf } from './judge.ts';
import { clear, layTrial, type RunningChild, remainsOf, startChild, type Trial } from './trial-folder.ts';

export interface PauseReport {
  /** The paused process was told that it had lost the session. */
  readonly fenced: boolean;
  readonly faults: readonly string[];
}

/** What the paused process may be told: the second when it was about to begin a run that the other one has done. */
const EXPECTED: readonly string[] = ['SESSION_FENCED', 'NOTHING_TO_STREAM'];

export interface PausedOwnerOptions {
  /** How many things it has told when it is stopped. */
  readonly told: number;
  readonly leaseMs: number;
  /** Outputs of an undisturbed session. */
  readonly reference: ReadonlyMap<string, string>;
  /** Of both processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called when the first process is stopped. */
  readonly meanwhile?: (trial: Trial) => void;
}

/** The process of a session is stopped; past its lease another process finishes the work; then the first one is let go on. */
export async function pausedOwner(options: PausedOwnerOptions): Promise<PauseReport> {
  const { told, leaseMs, reference, env = {}, meanwhile } = options;
  const trial = await layTrial(demoPlan, { planName: 'demo', guard: 'none' });
  const first = startChild(trial, { leaseMs, env });
  try {
    await first.begun;
    while ((await tellings(trial)) < told) await sleep(1);
    await stopOutside(first, trial);
    meanwhile?.(trial);
    await sleep(leaseMs + 20);
    const interrupted = new Set(openEffectsOf((await remainsOf(trial)).contents.entries));
    const second = await startChild(trial, { leaseMs, env }).ended;
    const before = await remainsOf(trial);
    first.process.kill('SIGCONT');
    const end = await first.ended;
    const { contents, acknowledged, damage } = await remainsOf(trial);
    const faults = [
      ...damage,
      ...logFaults(contents.entries),
      ...lostOf(acknowledged, contents).map((one) => `lost ${one}`),
    ];
    if (second.code !== 0) faults.push(`the second process ended with ${second.code}: ${second.errors}`);
    if (end.code !== 0) faults.push(`the first process ended with ${end.code}: ${end.errors}`);
    const late = contents.entries.length - before.contents.entries.length;
    if (late !== 0) faults.push(`${late} entries were written after the session was taken over and finished`);
    faults.push(...endingFaults({ plan: demoPlan, contents, reference, interrupted }));
    const { doubled, missing } = effectFaults(await demoEffects(trial.workspace, demoPlan), contents.entries);
    faults.push(
      ...doubled.map((id) => `doubled ${id}`),
      ...missing.map((id) => `call ${id} is answered and had no effect`),
    );
    const failures = acknowledged.flatMap((one) => (one.kind === 'failure' ? [one.code] : []));
    faults.push(...failures.filter((code) => !EXPECTED.includes(code)).map((code) => `a failure: ${code}`));
    return { fenced: failures.includes('SESSION_FENCED'), faults };
  } finally {
    first.process.kill('SIGKILL');
    await clear(trial);
  }
}

/**
 * Stops the process. In the middle of a commit it would hold the lock of the whole file, and between looking for a message and sending
 * it it would send what another process has sent meanwhile: it may take another step then.
 */
export async function stopOutside({ process: owner }: RunningChild, trial: Trial): Promise<void> {
  owner.kill('SIGSTOP');
  while (isLocked(join(trial.folder, 'sessions.db')) || (await isSaying(trial))) {
    owner.kill('SIGCONT');
    await sleep(1);
    owner.kill('SIGSTOP');
  }
}

export async function tellings({ folder }: Trial): Promise<number> {
  return (await acknowledgedIn(join(folder, 'acknowledged.jsonl'))).length;
}

async function isSaying({ folder }: Trial): Promise<boolean> {
  const acknowledged = await acknowledgedIn(join(folder, 'acknowledged.jsonl'));
  return acknowledged.findLast(({ kind }) => kind === 'saying' || kind === 'said')?.kind === 'saying';
}

/** Whether somebody is in the middle of a commit. */
export function isLocked(path: string): boolean {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma busy_timeout = 0; begin immediate; rollback');
    return false;
  } catch {
    return true; // the only thing that can fail here is taking the lock
  } finally {
    database.close();
  }
}
