import { ToolExecutionError } from '@x/errors';
import type { AgentEvent } from './event.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/** Runs a tool to its end. `onEvent` sees what it yields; when that throws, the tool is left, and what was thrown is thrown. */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  onEvent?: (event: AgentEvent) => void | Promise<void>,
): Promise<ToolResult> {
  const stream = tool.execute(input, context);
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
    try {
      await onEvent?.(step.value);
    } catch (error) {
      await stream.return(undefined as never); // safe: nobody reads what it returns
      throw error;
    }
  }
}

/** The value of a result: unserialised where there is one, else content parts, else the text. @throws ToolExecutionError for an error result */
export function valueOfResult(toolName: string, input: unknown, result: ToolResult): unknown {
  const { output, images = [] } = result;
  if (result.isError) {
    throw new ToolExecutionError(`Tool execution failed: ${toolName}: ${output}`, undefined, { toolName, input });
  }
  if (Object.hasOwn(result, 'data')) return result.data;
  if (images.length === 0) return output;
  return output === '' ? images : [{ type: 'text', text: output }, ...images];
}
