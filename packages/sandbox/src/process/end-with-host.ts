import { killTree } from './kill-tree.ts';

// The end of this process is one event for all workspaces; one listener serves them, and only while commands run.
const leaders = new Set<number>();

/** Ends the group of `leader` when this process exits before it; call what is returned when the group has ended. */
export function endWithHost(leader: number): () => void {
  if (leaders.size === 0) process.on('exit', endAll);
  leaders.add(leader);
  return () => {
    leaders.delete(leader);
    if (leaders.size === 0) process.off('exit', endAll);
  };
}

function endAll(): void {
  for (const leader of leaders) killTree(leader);
}
