import type { AgentHandler, RunContext, ToolCall, ToolStream } from '@x/core';
import { nearestName } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { ownHandler } from './own-handler.ts';
import { checkToolNames, namesTool, toolNameOf } from './tool-names.ts';

/** Lists of tool names. */
export interface ToolNames {
  /** Only these tools; absent means all, empty means none. */
  readonly allowed?: readonly string[];
  /** Never these tools, whatever `allowed` contains. */
  readonly disallowed?: readonly string[];
  /** Names in other options, such as those of rules: a run without a tool of such a name reports it too. */
  readonly mentioned?: readonly string[];
}

const NAMES: OptionRules<ToolNames> = { allowed: is.list, disallowed: is.list, mentioned: is.list };

/**
 * Hides tools by name before each run and refuses calls of hidden ones; each refusal is an event and a note like any other decision. A name
 * that no tool of the run has is reported by a `notification` of kind `unknown_tool_name`, once a run, with the nearest name.
 * @throws ValidationError for an unknown option, and for an invalid tool name, such as `Bash(rm *)`; see `splitToolRules`
 */
export function toolNamesHandler(options: ToolNames): AgentHandler {
  checkOptions('toolNamesHandler options', options, NAMES);
  const { allowed, disallowed = [], mentioned = [] } = options;
  for (const [field, names] of Object.entries({ allowed: allowed ?? [], disallowed, mentioned })) {
    checkToolNames(names, { tools: [], field, whole: field !== 'mentioned' });
  }
  const only = allowed && listing(allowed);
  const never = listing(disallowed);
  const isOffered = (name: string) => !never(name) && (only?.(name) ?? true);
  return ownHandler({
    name: 'tool-names',
    beforeAgent(config, run) {
      const names = config.tools.map(({ tool }) => tool.name);
      const unknown = unknownNames([...(allowed ?? []), ...disallowed, ...mentioned], names);
      // A subagent has fewer tools by design: an unknown name there is no typo.
      if (unknown && run.depth === 0) run.emit({ type: 'notification', kind: 'unknown_tool_name', message: unknown });
      config.tools = config.tools.filter(({ tool }) => isOffered(tool.name));
    },
    // No generator around offered tools: each costs every event of the call.
    wrapToolCall: (call, next, run) =>
      isOffered(call.name) && isOffered(call.tool?.name ?? call.name) ? next(call) : refuse(call, run),
  });
}

async function* refuse({ id, name }: ToolCall, run: RunContext): ToolStream {
  const decision = { decision: 'deny', step: 'tool_names', reason: `${name} is not available` } as const;
  yield { type: 'permission', id, ...decision };
  await run.journal.write({ type: 'note', name: `permission:${id}`, data: decision });
  return { output: decision.reason, isError: true, interrupted: 'not_run' };
}

/** True for the names in a list, those of all tools of an MCP server included. */
function listing(names: readonly string[]): (name: string) => boolean {
  const whole = new Set(names);
  const wide = names.filter((name) => name.endsWith('*'));
  return (name) => whole.has(name) || wide.some((one) => namesTool(one, name));
}

function unknownNames(names: readonly string[], known: readonly string[]): string | undefined {
  const unknown = [...new Set(names.map(toolNameOf))].filter((name) => !known.some((one) => namesTool(name, one)));
  if (unknown.length === 0) return undefined;
  const told = unknown.map((name) => {
    const nearest = nearestName(name, known);
    return nearest === undefined ? name : `${name} (the nearest is ${nearest})`;
  });
  return `No tool of this run is named ${told.join(', ')}; rules and lists with that name have no effect.`;
}
