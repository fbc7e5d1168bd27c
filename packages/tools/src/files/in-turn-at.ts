import type { ToolContext } from '@x/core';
import { unlessAborted } from '@x/core/internal';

/** The last act at each place that is under way: sessions of one process may share their files. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Acts on one file one after the other, by whatever path it is named: agents work side by side, and each would undo what came between its
 * reading and its writing. @throws AbortError
 */
export async function inTurnAt<T>(
  path: string,
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
  act: () => Promise<T>,
): Promise<T> {
  const place = await workspace.resolve(path);
  const before = turns.get(place);
  // An abort ends the turn too: a file that hangs holds up nobody for ever.
  const turn = unlessAborted(() => before, signal).then(() => unlessAborted(act, signal));
  const ended = Promise.allSettled([before, turn]);
  turns.set(place, ended);
  // Not with this turn: one that was aborted while it waited leaves those before it at work.
  void ended.then(() => turns.get(place) === ended && turns.delete(place));
  return await turn;
}
