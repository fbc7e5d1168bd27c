import { faultsText, isAgentError } from '@x/core';

/** The answer to a call that did not run, or failed. */
export interface ToolCallRefusal {
  /**
   * `tool_not_available`: outside the groups of the agent; `unknown_tool`: registered nowhere; `tool_not_implemented`: the runtime has no
   * implementation; else the code of the error that the tool threw, in lower case, or `tool_execution_error`.
   */
  readonly error: string;
  readonly toolName: string;
  readonly message: string;
  /** Details of the error that the tool threw. */
  readonly details?: unknown;
}

/** The outcome of a call. */
export type ToolCallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: ToolCallRefusal };

/** The text for the model when a tool is outside its role. */
export function notAvailableText(toolName: string): string {
  return `工具 ${toolName} 对此岗位不可用`;
}

export function notAvailable(toolName: string): ToolCallRefusal {
  return { error: 'tool_not_available', toolName, message: notAvailableText(toolName) };
}

export function unknownTool(toolName: string): ToolCallRefusal {
  return { error: 'unknown_tool', toolName, message: `工具 ${toolName} 不存在` };
}

export function notImplemented(toolName: string): ToolCallRefusal {
  return { error: 'tool_not_implemented', toolName, message: `工具 ${toolName} 未实现` };
}

/** Converts an error of a tool to an answer. */
export function failed(toolName: string, thrown: unknown): ToolCallRefusal {
  const message = faultsText(thrown);
  if (!isAgentError(thrown)) return { error: 'tool_execution_error', toolName, message };
  const { code, details } = thrown;
  return { error: code.toLowerCase(), toolName, message, ...(details === undefined ? {} : { details }) };
}
