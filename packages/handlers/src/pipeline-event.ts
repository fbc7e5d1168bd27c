import type { AgentEvent } from '@x/core';

/** A copy of an event, as deep as what it shares with the run: whatever an observer does to it changes nothing. */
export function eventForObserver(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'tool_use':
    case 'message':
    case 'usage':
    case 'result':
      return structuredClone(event);
    case 'subagent':
      return { ...event, event: eventForObserver(event.event) };
    default:
      return { ...event };
  }
}
