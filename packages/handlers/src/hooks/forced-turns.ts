import { type RunContext, type UserMessage, userMessage } from '@x/core';
import { runNote } from '../run-note.ts';
import { notification } from './fold-hooks.ts';
import type { RunMemory } from './run-memory.ts';

/** Content of the note: number of consecutive turns that hooks have started. */
interface ForcedTurns {
  readonly count: number;
  /** The id of the reply after which the last of them begins. */
  readonly behind?: string;
}
/** The end of a turn that is being judged. */
export interface EndOfTurn {
  readonly run: RunContext;
  readonly memory: RunMemory;
  /** The id of the last reply. */
  readonly behind: string;
}

/** Number of consecutive turns that hooks have started in this run. Survives a crash; a turn that a crash has prevented does not count. */
export function forcedTurns({ run, memory, behind }: EndOfTurn): number {
  const noted = noteOf(run).get();
  if (!noted) return 0;
  const isLost = memory.forcedMessages.size === 0 && noted.behind === behind;
  return isLost ? noted.count - 1 : noted.count;
}

/** Resets the number after input from anybody else. */
export async function endForcedTurns(run: RunContext): Promise<void> {
  const note = noteOf(run);
  if (note.get()?.count) await note.set({ count: 0 });
}

/** The message that starts another turn; undefined, with a notification, when hooks have started as many as they may. */
export async function forceTurn(
  reason: string | undefined,
  { limit, ...end }: EndOfTurn & { readonly limit: number },
): Promise<UserMessage | undefined> {
  const { run, memory, behind } = end;
  const count = forcedTurns(end);
  if (count >= limit) {
    const message = `hooks have started ${count} further turns in a row; the run ends, although one asks for another`;
    run.emit(notification('forced_turns_used_up', message));
    return undefined;
  }
  await noteOf(run).set({ count: count + 1, behind });
  const message = userMessage(reason?.trim() ? reason : 'Continue: a hook found the work not finished.');
  memory.forcedMessages.add(message.id);
  return message;
}

function noteOf(run: RunContext) {
  return runNote<ForcedTurns>(run, 'hooks_forced_turns');
}
