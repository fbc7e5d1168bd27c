import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One living process, from Linux's `/proc`. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Every living process, zombies left out; empty without `/proc`. Synchronous, so that nothing changes in between. */
export function processTable(): ProcessEntry[] {
  return processIds().flatMap((pid) => entryOf(pid) ?? []);
}

/**
 * Clock ticks after boot at which a process was started; undefined when unknown. Together with its number it identifies a process uniquely.
 */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** True when the process of that number and start exists and is not a zombie. */
export function isLiving(pid: number, startedAt: string | undefined): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat[19] === startedAt && !hasEnded(stat[0]);
}

/** True when this system shows the environment that processes were started with. */
export function canReadMarks(): boolean {
  return existsSync('/proc/self/environ');
}

/** The living processes with `mark` in the environment they were started with. */
export function bearersOf(mark: string): number[] {
  return processIds().filter((pid) => pid !== process.pid && bears(pid, mark));
}

function bears(pid: number, mark: string): boolean {
  return orUndefined(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))?.includes(mark) ?? false;
}

/** The targets of a process's output descriptors (`socket:[1234]`); empty when unknown. */
export function outputsOf(pid: number): string[] {
  return [1, 2].flatMap((descriptor) => {
    const target = orUndefined(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    return target === undefined || target.startsWith('/') ? [] : [target];
  });
}

/** The living processes whose output leads to one of `outputs`. */
export function holdersOf(outputs: readonly string[]): number[] {
  if (outputs.length === 0) return [];
  return processIds().filter((pid) => pid !== process.pid && outputsOf(pid).some((output) => outputs.includes(output)));
}

function processIds(): number[] {
  const names = orUndefined(() => readdirSync('/proc')) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

function entryOf(pid: number): ProcessEntry | undefined {
  const [state, parent, group, session] = statOf(pid) ?? [];
  if (hasEnded(state)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

function hasEnded(state: string | undefined): boolean {
  return state === undefined || state === 'Z' || state === 'X';
}

// proc(5): pid (name) state parent group session ...; the name may hold spaces and parentheses.
function statOf(pid: number): string[] | undefined {
  const line = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return line?.slice(line.lastIndexOf(')') + 2).split(' ');
}

/** Undefined when reading fails: the process may be gone, or belong to someone else. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
