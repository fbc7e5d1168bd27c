import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoEffects, shortPlan } from './demo-plan.ts';
import { effectFaults, endingFaults, logFaults, lostOf, openEffectsOf } from './judge.ts';
import {
  type ChildEnd,
  clear,
  layTrial,
  type Remains,
  type RunningChild,
  remainsOf,
  startChild,
  type Trial,
} from './trial-folder.ts';

/** What strace does at the n-th system call of a name. */
export interface Injection {
  readonly call: 'fsync' | 'pwrite64' | 'pread64' | 'openat' | 'unlink';
  readonly what: 'signal=KILL' | 'error=EIO' | 'error=ENOSPC' | 'error=EMFILE';
  /** `for good`: at every later call as well. */
  readonly lasts: 'once' | 'for good';
  readonly at: number;
  /** A guard that is taken out. */
  readonly guard?: Trial['guard'];
}
export interface SyscallReport {
  /** False when the process came to its end with fewer calls: nothing was tested. */
  readonly reached: boolean;
  /** Codes of the errors that its user was told. */
  readonly failures: readonly string[];
  readonly faults: readonly string[];
  /** Whether it came between the start and the end of a call. */
  readonly interrupting: boolean;
}

type Reference = ReadonlyMap<string, string>;

/** A short run whose n-th system call kills it or fails; what it has acknowledged must be there, and the session usable. */
export async function syscallTrial(injection: Injection, reference: Reference): Promise<SyscallReport> {
  const trial = await layTrial(shortPlan, { planName: 'short', guard: injection.guard ?? 'none' });
  try {
    return injection.what === 'signal=KILL'
      ? await killedAt(trial, injection, reference)
      : await failingAt(trial, injection, reference);
  } finally {
    await clear(trial);
  }
}

async function killedAt(trial: Trial, injection: Injection, reference: Reference): Promise<SyscallReport> {
  const end = await endOf(startChild(trial, startOf(trial, injection)));
  const found = await remainsOf(trial);
  const faults = standingFaults(found);
  const interrupted = new Set(openEffectsOf(found.contents.entries));
  const interrupting = interrupted.size > 0;
  if (end.signal !== 'SIGKILL') return { reached: false, interrupting, failures: failuresIn(found), faults };
  return { reached: true, interrupting, ...(await goOn(trial, { faults, reference, interrupted })) };
}

async function failingAt(trial: Trial, injection: Injection, reference: Reference): Promise<SyscallReport> {
  const end = await endOf(startChild(trial, startOf(trial, injection)));
  const reached = (await readFile(traceIn(trial), 'utf8')).includes('(INJECTED)');
  const found = await remainsOf(trial);
  const faults = standingFaults(found);
  const { lasts } = injection;
  // After one error the process goes on by itself; with no end to them it may give up, and a later one does the rest.
  if (end.signal || (end.code !== 0 && lasts === 'once')) faults.push(`it ended with ${end.code}: ${end.errors}`);
  // Which calls the process found open after the error nobody knows.
  if (lasts === 'once') faults.push(...(await finalFaults(trial, found, { reference })));
  const ended = lasts === 'once' && injection.at % 4 > 0; // a fresh process finds nothing left to do: a sample is enough
  const interrupted = lasts === 'once' ? undefined : new Set(openEffectsOf(found.contents.entries));
  const { failures, faults: all } = ended
    ? { failures: failuresIn(found), faults }
    : await goOn(trial, { faults, reference, interrupted });
  const untyped = failures.filter((code) => code.startsWith('untyped') || code === 'INTERNAL_ERROR');
  const interrupting = interrupted !== undefined && interrupted.size > 0;
  return {
    reached,
    interrupting,
    failures,
    faults: [...all, ...untyped.map((code) => `an error without a type: ${code}`)],
  };
}

/** A fresh process does what is left, and is judged. */
async function goOn(
  trial: Trial,
  { faults, reference, interrupted }: { faults: string[] } & Expected,
): Promise<Pick<SyscallReport, 'failures' | 'faults'>> {
  const resumed = await startChild(trial).ended;
  if (resumed.code !== 0) faults.push(`resumed, it ended with ${resumed.code}: ${resumed.errors}`);
  const remains = await remainsOf(trial);
  faults.push(...standingFaults(remains), ...(await finalFaults(trial, remains, { reference, interrupted })));
  return { failures: failuresIn(remains), faults };
}

function startOf(trial: Trial, { call, what, at, lasts }: Injection) {
  const inject = `inject=${call}:${what}:when=${at}${lasts === 'once' ? '' : '+'}`;
  const database = join(trial.folder, 'sessions.db');
  // Node itself reads and opens files when it starts; only the database is meant.
  const only = ['pread64', 'openat'].includes(call)
    ? [database, `${database}-wal`, `${database}-shm`].flatMap((path) => ['-P', path])
    : [];
  // strace counts the calls of each thread for itself.
  const env = { UV_THREADPOOL_SIZE: '1', ...(lasts === 'for good' ? { IMPATIENT: '1' } : {}) };
  return { env, trace: ['-o', traceIn(trial), ...only, '-e', `trace=${call}`, '-e', inject] };
}

async function endOf({ begun, ended }: RunningChild): Promise<ChildEnd> {
  await begun;
  return await ended;
}

function traceIn({ folder }: Trial): string {
  return join(folder, 'trace');
}

function standingFaults({ contents, acknowledged, damage }: Remains): string[] {
  return [...damage, ...lostOf(acknowledged, contents).map((one) => `lost ${one}`), ...logFaults(contents.entries)];
}

interface Expected {
  readonly reference: Reference;
  readonly interrupted?: ReadonlySet<string> | undefined;
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
