import type { ToolResult } from '@x/core';

/** The result of a call that did not do what it was asked, with the reason for the model. */
export function failure(output: string): ToolResult {
  return { output, isError: true };
}
