import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningChild, Trial } from './trial-folder.ts';

/** Milliseconds after a session goes on in which everything of before must be gone. */
const BOUND_MS = 2_000;

/**
 * What was started in the trial's workspace before the child and is alive 2 s after the child has gone on: has asked the model, or
 * started a command.
 */
export async function survivorFaults({ process: { pid }, asks, ended }: RunningChild, trial: Trial): Promise<string[]> {
  const bornAt = startOf(pid!);
  let [hasEnded, hasAsked] = [false, false];
  void ended.then(() => (hasEnded = true));
  void asks.then(() => (hasAsked = true));
  const living = () => survivorsIn(trial, bornAt);
  while (!hasEnded && !hasAsked && !hasStarted(trial, living())) await sleep(10);
  if (bornAt === undefined || hasEnded) return [];
  for (const until = Date.now() + BOUND_MS; living().length > 0 && Date.now() < until; ) await sleep(10);
  return living().map((one) => `survivor ${one}`);
}

/** True when there is a process in the workspace that none of these has started. */
function hasStarted(trial: Trial, living: readonly string[]): boolean {
  const old = new Set(living.map((one) => Number.parseInt(one)));
  return survivorsIn(trial).some((one) => !old.has(Number.parseInt(one)) && !old.has(parentOf(Number.parseInt(one))!));
}

/** The command lines of the living processes that work in the trial's workspace and were started before that tick. */
export function survivorsIn({ workspace }: Trial, before = Number.POSITIVE_INFINITY): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const bornAt = startOf(Number(pid));
    if (bornAt === undefined || bornAt > before) return [];
    if (read(() => readlinkSync(`/proc/${pid}/cwd`)) !== workspace) return [];
    return [`${pid}: ${read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.replaceAll('\0', ' ') ?? ''}`];
  });
}

/** Ends what a control has left. */
export function endSurvivorsIn(trial: Trial): void {
  for (const one of survivorsIn(trial)) read(() => process.kill(Number.parseInt(one), 'SIGKILL'));
}

/** Ticks after boot at which a living process was started. */
export function startOf(pid: number): number | undefined {
  const fields = fieldsOf(pid);
  return fields && fields[0] !== 'Z' && fields[0] !== 'X' ? Number(fields[19]) : undefined;
}

function parentOf(pid: number): number | undefined {
  const fields = fieldsOf(pid);
  return fields && Number(fields[1]);
}

/** Fields of proc(5) of a process, from its state on. */
function fieldsOf(pid: number): string[] | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined; // it has ended
  }
}
