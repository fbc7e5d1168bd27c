import type { AssistantMessage, Message } from '@x/core';
import { wireMessages } from './to-messages.ts';

/**
 * Whether the loop of tool calls under way was begun without thinking, by another provider or another setting. With a budget for
 * thinking the service refuses such a turn: its first reply must start with a thought. Requests go without thinking then until the
 * user speaks again, which the service recommends; replies after the first need none.
 * (platform.claude.com, "Extended thinking", on toggling it within a turn.)
 */
export function thinkingWasLeftOut(messages: readonly Message[], direct: boolean): boolean {
  let first: AssistantMessage | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!; // index < length
    if (message.role === 'assistant') first = message;
    // what the user says right after results is part of the same turn
    else if (message.role === 'user' && messages[index - 1]?.role !== 'tool') break;
  }
  const [wire] = first ? wireMessages(first, direct) : [];
  if (wire?.role !== 'assistant') return false;
  const type = wire.content[0]?.['type'];
  return type !== 'thinking' && type !== 'redacted_thinking';
}
