import type { ModelRequest, Tool } from '@x/core';
import { refusedComputer } from '@x/core/internal';
import { FINAL_DESCRIPTION, type FinalTool } from '../wire/final-tool.ts';

interface ToolParts {
  readonly model: string;
  readonly final: FinalTool | undefined;
  /** A mark for the cache, or none. */
  readonly point: readonly object[];
  /** The names of tools that the history calls. */
  readonly called: ReadonlySet<string>;
}

/** The tools of a request; undefined without any. A history with calls is refused without them, so those of the past stand in. */
export function toolConfig(
  { tools, options }: ModelRequest,
  { model, final, point, called }: ToolParts,
): object | undefined {
  const offered = [...tools.map((tool) => offeredTool(tool, model)), ...(final ? [finalTool(final)] : [])];
  const past = offered.length === 0 ? [...called].map(pastTool) : [];
  const all = [...offered, ...past];
  if (all.length === 0) return undefined;
  const choice = final ? { any: {} } : choiceOf(options?.toolChoice);
  return { tools: [...all, ...point], ...(choice && past.length === 0 ? { toolChoice: choice } : {}) };
}

function choiceOf(choice: NonNullable<ModelRequest['options']>['toolChoice']): object | undefined {
  if (choice === undefined) return undefined;
  if (typeof choice === 'object') return { tool: { name: choice.tool } };
  return choice === 'required' ? { any: {} } : { auto: {} };
}

function offeredTool({ name, description, inputSchema: { json }, computer }: Tool, model: string): object {
  if (computer) throw refusedComputer(name, model);
  const schema = json['type'] === 'object' ? json : { ...json, type: 'object' };
  const said = description.trim() === '' ? {} : { description: description.toWellFormed() };
  return { toolSpec: { name, ...said, inputSchema: { json: schema } } };
}

function finalTool({ name, inputSchema }: FinalTool): object {
  return { toolSpec: { name, description: FINAL_DESCRIPTION, inputSchema: { json: inputSchema } } };
}

function pastTool(name: string): object {
  return { toolSpec: { name, description: 'Not available any more.', inputSchema: { json: { type: 'object' } } } };
}
