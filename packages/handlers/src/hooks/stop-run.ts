import { AgentError, type RunContext } from '@x/core';
import { runNote } from '../run-note.ts';

/** Ends the run before its next model call, and prevents further calls; survives a crash. */
export async function stopRun(run: RunContext, reason: string): Promise<void> {
  await stopNote(run).set(reason);
}

/** The reason why a hook has ended the run or one around it; undefined while none has. */
export function stoppedBecause(run: RunContext): string | undefined {
  for (let one: RunContext | undefined = run; one; one = one.parent?.run) {
    const reason = stopNote(one).get();
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The error of a run that a hook has ended. */
export function stoppedByHook(stopReason: string): AgentError {
  return new AgentError(`A hook ended the run: ${stopReason}`, {
    code: 'STOPPED_BY_HOOK',
    statusCode: 409,
    details: { stopReason },
  });
}

function stopNote(run: RunContext) {
  return runNote<string>(run, 'hooks_stopped');
}
