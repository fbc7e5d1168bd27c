import type { Workspace } from '@x/core';
import type { SessionState } from '../log/fold.ts';

/**
 * Ends the processes that the calls of an interrupted run have left, those of its subagents too, and keeps their output with each call.
 * Await it before continuing the run.
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
