import type { AgentEvent, StreamMessage } from '@x/core';

const SHOWN: Readonly<Record<StreamMessage['type'], true>> = {
  turn_start: true,
  user_message: true,
  turn_end: true,
  content: true,
  thinking: true,
  image: true,
  tool_use: true,
  tool_result: true,
  usage: true,
  result: true,
  error: true,
};

/** True for events that readers get; the others are for observers. */
export function isStreamMessage(event: AgentEvent): event is StreamMessage {
  return Object.hasOwn(SHOWN, event.type);
}
