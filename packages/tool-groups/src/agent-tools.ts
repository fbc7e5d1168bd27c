import type { Tool, ToolContext, ToolStream } from '@x/core';
import { type FunctionDefinition, functionTool } from '@x/registry';
import { notAvailableText, type ToolCallOutcome } from './tool-call-refusal.ts';

/** Everything that the tools of an agent need. */
export interface AgentToolParts {
  readonly definitions: readonly FunctionDefinition[];
  /** The host's own tool of this name, if any. */
  handedIn(toolName: string): Tool | undefined;
  canUse(toolName: string): boolean;
  call(toolName: string, args: unknown, context: ToolContext): Promise<ToolCallOutcome>;
  /** Aborted when the agent or the runtime is gone. */
  readonly life: AbortSignal;
}

/** Creates the tools of an agent for a session. They are live: each call is decided again, and a refusal is an error result. */
export function agentTools({ definitions, handedIn, call, ...guards }: AgentToolParts): readonly Tool[] {
  return definitions.map((definition) => {
    const { name } = definition.function;
    const tool = handedIn(name);
    if (tool) return guarded(tool, guards);
    return functionTool(definition, async (args, context) => resultOf(await call(name, args, context)));
  });
}

function guarded(tool: Tool, { canUse, life }: Pick<AgentToolParts, 'canUse' | 'life'>): Tool {
  return {
    ...tool,
    async *execute(input, context): ToolStream {
      if (canUse(tool.name)) {
        return yield* tool.execute(input, { ...context, signal: AbortSignal.any([context.signal, life]) });
      }
      return { output: notAvailableText(tool.name), isError: true, interrupted: 'not_run' };
    },
  };
}

function resultOf(outcome: ToolCallOutcome): unknown {
  if (outcome.ok) return outcome.value;
  const { refusal } = outcome;
  return { output: refusal.message, isError: true, data: refusal };
}
