import type { RunContext } from './run-context.ts';

/** The outermost run: the run itself, or the one around all subagents. Use it as the key of state that a run shares with its subagents. */
export function rootRun(run: RunContext): RunContext {
  let root = run;
  while (root.parent) root = root.parent.run;
  return root;
}
