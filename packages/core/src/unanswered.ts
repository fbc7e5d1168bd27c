import type { ToolResult } from './tool-result.ts';

/** The answer for a call that was under way when its run was cut off. */
export function unknownEffect(name: string): ToolResult {
  const output = `${name} was interrupted; its effect is not known. Check what has happened before calling it again.`;
  return { output, isError: true, interrupted: 'unknown' };
}

/** The answer for a call that its run never came to. */
export function notRun(name: string): ToolResult {
  const output = `${name} was not run: the run was stopped before it began`;
  return { output, isError: true, interrupted: 'not_run' };
}
