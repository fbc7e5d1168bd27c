import type { AgentEvent } from '@x/core';

/** An event while a run is under way, after the entry `after`. `missed` stands for any number of them. */
export interface LiveEvent {
  readonly after: number;
  readonly at: number;
  /** Of the owner, when it is another process: such an event may come late, and from one that has lost the session. */
  readonly epoch?: number;
  readonly event: AgentEvent | { readonly type: 'missed' };
}

/** Live events that a record tells too, later or now. */
const RECORDED: ReadonlySet<string> = new Set([
  'user_message',
  'message',
  'tool_use',
  'image',
  'tool_started',
  'tool_result',
  'compaction',
  'result',
  'error',
  'question',
]);
/** Live events that belong to the reply under way. */
export const OF_REPLY: ReadonlySet<string> = new Set([
  'content',
  'thinking',
  'tool_input_start',
  'tool_input_delta',
  'service_tool',
]);

/** The event of the agent that it comes from; `path`, if given, gets the calls that have started that one. */
export function innermost(
  event: LiveEvent['event'],
  path?: string[],
): Exclude<LiveEvent['event'], { type: 'subagent' }> {
  let inner = event;
  for (; inner.type === 'subagent'; inner = inner.event) path?.push(inner.callId);
  return inner;
}

/** False for an event that a record tells. */
export function isLive(event: LiveEvent['event']): boolean {
  const inner = innermost(event);
  return !RECORDED.has(inner.type) && (inner.type !== 'permission' || inner.decision === 'ask');
}
