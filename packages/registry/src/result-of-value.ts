import type { ToolResult } from '@x/core';
import { toResult } from '@x/core/internal';

/** What an implementation resolved with, as the result a model reads: a value is a value, whatever it looks like. */
export function resultOfValue(value: unknown): ToolResult {
  const result = toResult(value);
  return result === value ? { output: JSON.stringify(value), isError: false, data: value } : result;
}
