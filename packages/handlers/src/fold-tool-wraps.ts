import type { AgentEvent, AgentHandler, ToolResult } from '@x/core';
import { relayed } from '@x/core/streams';

type ToolWrap = NonNullable<AgentHandler['wrapToolCall']>;

/**
 * The tool wraps of a handler as one. `wrapToolCall` wins; a narrow form alone is applied to both kinds of tools, so that no guard is
 * bypassed because a tool streams or does not; with both, the tool's `streaming` decides.
 */
export function toolWrapOf(handler: AgentHandler): ToolWrap | undefined {
  if (handler.wrapToolCall) return handler.wrapToolCall.bind(handler);
  const streamable = handler.wrapStreamableToolCall?.bind(handler);
  const invokable = handler.wrapInvokableToolCall?.bind(handler);
  if (!invokable) return streamable;
  const asStream: ToolWrap = (call, next, run) =>
    relayed<AgentEvent, ToolResult>((relay) => invokable(call, (changed) => relay(next(changed)), run));
  if (!streamable) return asStream;
  return (call, next, run) => (call.tool?.streaming ? streamable : asStream)(call, next, run);
}

/** The method name of a handler's tool wrap, for errors. */
export function toolMethodOf(handler: AgentHandler): string {
  if (handler.wrapToolCall) return 'wrapToolCall';
  const narrow = (['wrapInvokableToolCall', 'wrapStreamableToolCall'] as const).filter((method) => handler[method]);
  return narrow.join(' or ');
}
