import { textOf } from '@x/core';
import type { SessionEvent } from '../../src/index.ts';

export interface Pieces {
  /** Everything that is wrong with the pieces a reader was told. */
  readonly faults: readonly string[];
  /** Replies that were told piece by piece to their end. */
  readonly whole: number;
  /** Replies of which only the beginning was told. */
  readonly begun: number;
  /** Pieces whose reply was never recorded. */
  readonly lost: number;
}

/**
 * Judges the pieces of replies in what one reader was told in one visit: of a reply they are its beginning, come before its record, from the agent
 * that it is of, and progress of a call comes while that runs.
 */
export function judgePieces(events: readonly SessionEvent[]): Pieces {
  const faults: string[] = [];
  const texts = new Map<string, string>();
  const paths = new Map<string, string>();
  const ended = new Set<string>();
  let [whole, begun] = [0, 0];
  for (const { event, messageId = '', agentPath, callId = '' } of events) {
    const path = agentPath.join('/');
    if (event.type === 'content') {
      if (ended.has(messageId)) faults.push(`a piece of ${messageId} after its record`);
      if ((paths.get(messageId) ?? path) !== path) faults.push(`a piece of ${messageId} from another agent`);
      paths.set(messageId, path);
      texts.set(messageId, (texts.get(messageId) ?? '') + event.delta);
    } else if (event.type === 'tool_progress' && ended.has(callId))
      faults.push(`progress of ${callId} after its result`);
    else if (event.type === 'tool_result') ended.add(callId);
    else if (event.type === 'tool_started')
      ended.delete(callId); // a call may be run again
    else if (event.type === 'message' && event.message.role === 'assistant') {
      ended.add(messageId);
      const [told, text] = [texts.get(messageId), textOf(event.message)];
      texts.delete(messageId);
      if (told === undefined) continue;
      if (told === text) whole += 1;
      else begun += 1;
      if (!text.startsWith(told)) faults.push(`${messageId} was told as ${told}, and is ${text}`);
      if (paths.get(messageId) !== path) faults.push(`${messageId} was told with another path`);
    }
  }
  return { faults, whole, begun, lost: texts.size };
}
