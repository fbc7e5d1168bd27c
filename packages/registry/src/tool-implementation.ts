import { AbortError, type Tool, type ToolContext, ToolExecutionError, type ToolResult } from '@x/core';
import type { ToolImplementation } from './metadata.ts';
import type { Tell } from './relayed.ts';
import { standaloneContexts } from './standalone-context.ts';

/** A tool as an implementation, for input that its schema has parsed: runs it outside a session, throws its error results. */
export function implementationOf(tool: Tool): ToolImplementation {
  let contextFor: ReturnType<typeof standaloneContexts> | undefined; // most of many tools are never run
  return async (input, context = {}) => {
    contextFor ??= standaloneContexts(tool.name);
    return valueOf(tool.name, input, await resultOf(tool, input, contextFor(context)));
  };
}

/** Runs a tool to its end. What it yields is told, or dropped where nobody listens. */
export async function resultOf(tool: Tool, input: unknown, context: ToolContext, tell?: Tell): Promise<ToolResult> {
  const stream = tool.execute(input, context);
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
    if (!tell) continue;
    try {
      await tell(step.value);
    } catch (error) {
      await stream.return(undefined as never); // safe: what it returns is not read
      throw error instanceof AbortError ? error : new AbortError();
    }
  }
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
