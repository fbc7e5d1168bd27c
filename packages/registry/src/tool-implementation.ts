import { type Tool, ToolExecutionError, type ToolResult } from '@x/core';
import { readToEnd } from '@x/core/streams';
import type { ToolImplementation } from './metadata.ts';
import { standaloneContexts } from './standalone-context.ts';

/** An implementation that runs a tool outside a session, for input that its schema has parsed, and throws its error results. */
export function implementationOf(tool: Tool): ToolImplementation {
  let contextFor: ReturnType<typeof standaloneContexts> | undefined; // most of many tools are never run
  return async (input, context = {}) => {
    contextFor ??= standaloneContexts(tool.name);
    return valueOf(tool.name, input, await readToEnd(tool.execute(input, contextFor(context))));
  };
}

/** The unserialised value, else content parts, else the text. @throws ToolExecutionError for an error result */
export function valueOf(toolName: string, input: unknown, result: ToolResult): unknown {
  const { output, images = [] } = result;
  if (result.isError) {
    throw new ToolExecutionError(`Tool execution failed: ${toolName}: ${output}`, undefined, { toolName, input });
  }
  if (Object.hasOwn(result, 'data')) return result.data;
  if (images.length === 0) return output;
  return output === '' ? images : [{ type: 'text', text: output }, ...images];
}
