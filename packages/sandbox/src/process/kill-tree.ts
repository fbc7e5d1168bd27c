import { bearersOf, holdersOf, type ProcessEntry, processTable } from './process-table.ts';

const ROUNDS = 3;

/**
 * Ends a process group with SIGKILL and, on Linux, every descendant that has left it for another group or session and all processes with
 * its mark. Out of reach: a process with its own session, a parent that has ended and another environment.
 */
export function killTree(leader: number, mark: string): void {
  const sessions = new Set([leader]);
  // What was forked while the table was read is found in the next round by its session.
  for (let round = 0; round < ROUNDS; round += 1) {
    const members = familyOf(new Set([leader, ...bearersOf(mark)]), sessions, processTable());
    killGroup(leader);
    if (members.length === 0) return;
    for (const { pid } of members) kill(pid);
  }
}

/** Ends the rest of a process group whose leader has ended. */
export function killGroup(leader: number): void {
  if (leader > 1) kill(-leader);
}

/**
 * Ends the processes that still write to one of `outputs` (see `outputsOf`); those with the mark, where the command had ended before its
 * outputs were looked at.
 */
export function killHolders(outputs: readonly string[], mark: string): void {
  for (const pid of outputs.length > 0 ? holdersOf(outputs) : bearersOf(mark)) kill(pid);
}

/** Descendants of the roots and members of sessions that they have opened; adds those sessions to `sessions`. */
function familyOf(roots: ReadonlySet<number>, sessions: Set<number>, table: readonly ProcessEntry[]): ProcessEntry[] {
  const members = new Map<number, ProcessEntry>();
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const entry of table) {
      const belongs = roots.has(entry.pid) || members.has(entry.parent) || sessions.has(entry.session);
      if (!belongs || entry.pid === process.pid) continue;
      members.set(entry.pid, entry);
      sessions.add(entry.session);
    }
  }
  return [...members.values()];
}

/** Sends SIGKILL; ignores a process that is gone. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Gone already, or of another user since an exec of a set-uid program: nothing more can be done.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
