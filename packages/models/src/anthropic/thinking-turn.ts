import type { AssistantMessage, Message } from '@x/core';
import { wireMessages } from './to-messages.ts';

/**
 * True when the current loop of tool calls was begun without thinking, by another provider or another setting. With a budget for thinking
 * the service refuses such a turn: its first reply must start with a thought. Requests then go without thinking until the next user
 * message, which the service recommends; replies after the first need none.
 * (platform.claude.com, "Extended thinking", on toggling it within a turn.)
 */
export function thinkingWasLeftOut(messages: readonly Message[], direct: boolean): boolean {
  let first: AssistantMessage | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!; // index < length
    if (message.role === 'assistant') first = message;
    // a user message directly after results is part of the same turn
    else if (message.role === 'user' && messages[index - 1]?.role !== 'tool') break;
  }
  const [wire] = first ? wireMessages(first, { direct }) : [];
  if (wire?.role !== 'assistant') return false;
  const type = wire.content[0]?.['type'];
  return type !== 'thinking' && type !== 'redacted_thinking';
}
