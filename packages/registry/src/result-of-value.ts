import type { ToolResult } from '@x/core';
import { toResult } from '@x/core/internal';

/** The result for a model from an implementation's value; a value that looks like a result stays a value. */
export function resultOfValue(value: unknown): ToolResult {
  const result = toResult(value);
  return result === value ? { output: JSON.stringify(value), isError: false, data: value } : result;
}
