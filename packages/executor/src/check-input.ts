import { faultsText, isAgentError, type Tool } from '@x/core';
import { copyOf, isLike } from './input-copy.ts';

/** An input as the model gave it, and as the tool's schema parsed it. */
export interface CheckedInput {
  readonly tool: Tool;
  /** Frozen with its reply. */
  readonly raw: unknown;
  /** For handlers and the tool, who may write into it. */
  readonly parsed: unknown;
  /** What `parsed` was; may share parts with `raw`. */
  readonly before: unknown;
}

/** Parses an input, or says in words for the model why it does not fit. */
export function checkInput(tool: Tool, raw: unknown): CheckedInput | { readonly fault: string } {
  try {
    const before: unknown = tool.inputSchema.parse(raw);
    return { tool, raw, parsed: copyOf(before), before };
  } catch (error) {
    // A tool of a registry also refuses calls for what has nothing to do with their input.
    if (isAgentError(error) && error.code !== 'VALIDATION_ERROR') return { fault: error.message };
    return { fault: `Invalid input for ${tool.name}: ${faultsText(error)}` };
  }
}

/** Whether a tool and an input still are the checked ones. */
export function isStill(checked: CheckedInput, tool: Tool, input: unknown): boolean {
  return checked.tool === tool && checked.parsed === input && isLike(input, checked.before);
}
