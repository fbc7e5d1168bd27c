import type { ToolResult } from '@x/core';

/** The result of a failed call, with the reason for the model. */
export function failure(output: string): ToolResult {
  return { output, isError: true };
}
