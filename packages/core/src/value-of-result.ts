import { ToolExecutionError } from '@x/errors';
import { resultMedia } from './result-media.ts';
import type { ToolResult } from './tool-result.ts';

/** The value of a result: unserialised where there is one, else content parts, else the text. @throws ToolExecutionError for an error result */
export function valueOfResult(toolName: string, input: unknown, result: ToolResult): unknown {
  const { output } = result;
  if (result.isError) {
    throw new ToolExecutionError(`Tool execution failed: ${toolName}: ${output}`, undefined, { toolName, input });
  }
  if (Object.hasOwn(result, 'data')) return result.data;
  const media = resultMedia(result);
  if (media.length === 0) return output;
  return output === '' ? media : [{ type: 'text', text: output }, ...media];
}
