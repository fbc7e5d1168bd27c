import type { Workspace } from '@x/core';
import type { SessionState } from '../log/fold.ts';

/**
 * Ends what the calls of an interrupted run have left running, those of its subagents too, and keeps with each call what was found.
 * To be awaited before anything of the run goes on.
 */
export async function endCommands({ scopes }: SessionState, { commands }: Workspace): Promise<void> {
  for (const { calls = new Map() } of scopes.values()) {
    for (const [callId, call] of calls) {
      if (call.state !== 'started' || call.mark === undefined) continue;
      const hasEnded = await commands?.end(call.mark);
      calls.set(callId, { ...call, commands: hasEnded === undefined ? 'unknown' : hasEnded ? 'ended' : 'none' });
    }
  }
}
