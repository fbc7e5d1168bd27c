import type { AgentHandler, RunContext, ToolCall, ToolStream } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { notAvailableText } from './tool-call-refusal.ts';

/** Options of `toolAccessHandler`. */
export interface ToolAccess {
  /** Called before every run and at every call; anything but `true` refuses. */
  isAllowed(toolName: string): boolean;
}

const ACCESS: OptionRules<ToolAccess> = { isAllowed: is.required(is.callback) };

/**
 * Restricts a run to the allowed tools: the others are not offered, and a call of one is refused with the text that the model would get
 * from `Runtime`; the refusal is reported and recorded like any other decision. @throws ValidationError without `isAllowed`
 */
export function toolAccessHandler(access: ToolAccess): AgentHandler {
  checkOptions('toolAccessHandler options', access, ACCESS);
  const isOffered = (name: string) => access.isAllowed(name) === true;
  return {
    name: 'tool-access',
    beforeAgent(config) {
      config.tools = config.tools.filter(({ tool }) => isOffered(tool.name));
    },
    // No generator around allowed tools: each costs every event of the call.
    wrapToolCall: (call, next, run) =>
      isOffered(call.name) && isOffered(call.tool?.name ?? call.name) ? next(call) : refuse(call, run),
  };
}

async function* refuse({ id, name }: ToolCall, run: RunContext): ToolStream {
  const reason = notAvailableText(name);
  const decision = { decision: 'deny', step: 'tool_access', reason } as const;
  yield { type: 'permission', id, ...decision };
  await run.journal.write({ type: 'note', name: `permission:${id}`, data: decision });
  return { output: reason, isError: true, interrupted: 'not_run' };
}
