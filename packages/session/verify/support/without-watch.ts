import { readFileSync } from 'node:fs';
import type { Workspace } from '@x/core';
import { hostWorkspace } from '@x/sandbox';

/** From now on the watcher of this process's commands is ended as soon as it is there. For controls, which must fail. */
export function endWatchers(): void {
  setInterval(() => {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const pid of children) if (textIn(`/proc/${pid}/cmdline`).includes('what mark leader')) end(Number(pid));
  }, 1).unref();
}

/** The host's workspace, which finds no command again. For controls, which must fail. */
export function findingNothing(cwd: string): Workspace {
  const workspace = hostWorkspace({ cwd });
  return { ...workspace, commands: { mark: () => workspace.commands!.mark(), end: async () => false } };
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
