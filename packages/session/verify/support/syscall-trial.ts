import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoEffects, shortPlan } from './demo-plan.ts';
import { effectFaults, endingFaults, logFaults, lostOf, openEffectsOf } from './judge.ts';
import { clear, layTrial, type Remains, remainsOf, startChild, type Trial } from './trial-folder.ts';

/** What strace does at the n-th system call of a name. */
export interface Injection {
  readonly call: 'fsync' | 'pwrite64' | 'pread64';
  readonly what: 'signal=KILL' | 'error=EIO' | 'error=ENOSPC';
  readonly at: number;
}
export interface SyscallReport {
  /** False when the process came to its end with fewer calls: nothing was tested. */
  readonly reached: boolean;
  /** Codes of the errors that its user was told. */
  readonly failures: readonly string[];
  readonly faults: readonly string[];
}

/** A short run whose n-th system call kills it or fails; what it has acknowledged must be there, and the session usable. */
export async function syscallTrial(
  injection: Injection,
  reference: ReadonlyMap<string, string>,
): Promise<SyscallReport> {
  const trial = await layTrial(shortPlan, { planName: 'short', guard: 'none' });
  try {
    return injection.what === 'signal=KILL'
      ? await killedAt(trial, injection, reference)
      : await failingAt(trial, injection, reference);
  } finally {
    await clear(trial);
  }
}

async function killedAt(
  trial: Trial,
  injection: Injection,
  reference: ReadonlyMap<string, string>,
): Promise<SyscallReport> {
  const end = await startChild(trial, { under: straceFor(trial, injection) }).ended;
  const found = await remainsOf(trial);
  const faults = standingFaults(found);
  if (end.signal !== 'SIGKILL') return { reached: false, failures: failuresIn(found), faults };
  const interrupted = new Set(openEffectsOf(found.contents.entries));
  const resumed = await startChild(trial).ended;
  if (resumed.code !== 0) faults.push(`resumed, it ended with ${resumed.code}: ${resumed.errors}`);
  const remains = await remainsOf(trial);
  faults.push(...standingFaults(remains), ...(await finalFaults(trial, remains, { reference, interrupted })));
  return { reached: true, failures: failuresIn(remains), faults };
}

async function failingAt(
  trial: Trial,
  injection: Injection,
  reference: ReadonlyMap<string, string>,
): Promise<SyscallReport> {
  const end = await startChild(trial, { under: straceFor(trial, injection) }).ended;
  const reached = (await readFile(traceIn(trial), 'utf8')).includes('(INJECTED)');
  const remains = await remainsOf(trial);
  const faults = standingFaults(remains);
  // The process goes on by itself: the store has to be usable after the error.
  if (end.code !== 0) faults.push(`it ended with ${end.code}: ${end.errors}`);
  const failures = failuresIn(remains);
  const untyped = failures.filter((code) => code.startsWith('untyped') || code === 'INTERNAL_ERROR');
  faults.push(...untyped.map((code) => `an error without a type: ${code}`));
  faults.push(...(await finalFaults(trial, remains, { reference })));
  return { reached, failures, faults };
}

function straceFor(trial: Trial, { call, what, at }: Injection): string[] {
  const inject = `inject=${call}:${what}:when=${at}`;
  const database = join(trial.folder, 'sessions.db');
  // Node itself reads with this call when it starts; only reads of the database are meant.
  const only = call === 'pread64' ? ['-P', database, '-P', `${database}-wal`] : [];
  return ['strace', '-f', '-qq', '-o', traceIn(trial), ...only, '-e', `trace=${call}`, '-e', inject];
}

function traceIn({ folder }: Trial): string {
  return join(folder, 'trace');
}

function standingFaults({ contents, acknowledged, damage }: Remains): string[] {
  return [...damage, ...lostOf(acknowledged, contents).map((one) => `lost ${one}`), ...logFaults(contents.entries)];
}

interface Expected {
  readonly reference: ReadonlyMap<string, string>;
  readonly interrupted?: ReadonlySet<string>;
}

async function finalFaults(trial: Trial, { contents, acknowledged }: Remains, expected: Expected): Promise<string[]> {
  const { doubled, missing } = effectFaults(await demoEffects(trial.workspace, shortPlan), contents.entries);
  return [
    ...endingFaults({ plan: shortPlan, contents, ...expected }),
    ...doubled.map((callId) => `doubled ${callId}`),
    ...missing.map((callId) => `call ${callId} is answered and had no effect`),
    ...acknowledged.flatMap((one) => (one.kind === 'fault' ? [`a request: ${one.text}`] : [])),
  ];
}

function failuresIn({ acknowledged }: Remains): string[] {
  return acknowledged.flatMap((one) => (one.kind === 'failure' ? [one.code] : []));
}
