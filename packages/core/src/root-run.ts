import type { RunContext } from './run-context.ts';

/** The run that all the others work for: the run itself, or the outermost one around a subagent's. What a run shares with its subagents hangs on it. */
export function rootRun(run: RunContext): RunContext {
  let root = run;
  while (root.parent) root = root.parent.run;
  return root;
}
