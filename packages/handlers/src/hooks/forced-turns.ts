import { type RunContext, type UserMessage, userMessage } from '@x/core';
import { runNote } from '../run-note.ts';
import { notification } from './fold-hooks.ts';
import type { RunMemory } from './run-memory.ts';

/** How many turns in a row hooks have started in this run. Holds over a crash. */
export function forcedTurns(run: RunContext): number {
  return countOf(run).get() ?? 0;
}

/** Somebody else has spoken: the row is over. */
export async function endForcedTurns(run: RunContext): Promise<void> {
  if (forcedTurns(run) > 0) await countOf(run).set(0);
}

/** The message that starts another turn; none, and a word to the host, when hooks have started as many as they may. */
export async function forceTurn(
  reason: string | undefined,
  { run, memory, limit }: { run: RunContext; memory: RunMemory; limit: number },
): Promise<UserMessage | undefined> {
  const count = forcedTurns(run);
  if (count >= limit) {
    const message = `hooks have started ${count} further turns in a row; the run ends, although one asks for another`;
    run.emit(notification('forced_turns_used_up', message));
    return undefined;
  }
  await countOf(run).set(count + 1);
  const message = userMessage(reason?.trim() ? reason : 'Continue: a hook found the work not finished.');
  memory.forcedMessages.add(message.id);
  return message;
}

function countOf(run: RunContext) {
  return runNote<number>(run, 'hooks_forced_turns');
}
