import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

// proc(5): pid (name) state parent group session ...; the name may hold spaces and parentheses.
function entryOf(pid: number): ProcessEntry | undefined {
  const line = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (line === undefined) return undefined;
  const [state, parent, group, session] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

/** A process may be gone, or belong to someone else: then there is nothing to know. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
