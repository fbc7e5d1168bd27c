import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One living process, as Linux tells it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Every living process, zombies left out; empty where there is no `/proc`. Synchronous, so that nothing changes in between. */
export function processTable(): ProcessEntry[] {
  return processIds().flatMap((pid) => entryOf(pid) ?? []);
}

/** Clock ticks after boot at which a process was started; undefined when that cannot be known. With its number it is one process for ever. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** Whether the process of that number and start is there and not a zombie. */
export function isLiving(pid: number, startedAt: string | undefined): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat[19] === startedAt && !hasEnded(stat[0]);
}

/** Whether this system shows the environment that processes were started with. */
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

/** What the output descriptors of a process lead to (`socket:[1234]`); empty when that cannot be known. */
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

/** A process may be gone, or belong to someone else: then there is nothing to know. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
