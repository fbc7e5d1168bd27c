import { faultsText, isAgentError, type Tool } from '@x/core';
import { copyOf, isLike } from './input-copy.ts';

/** An input from the model, and as parsed by the tool's schema. */
export interface CheckedInput {
  readonly tool: Tool;
  /** Frozen with its reply. */
  readonly raw: unknown;
  /** For handlers and the tool, which may change it. */
  readonly parsed: unknown;
  /** The original content of `parsed`; may share parts with `raw`. */
  readonly before: unknown;
}

/** Parses an input, or returns its faults as a text for the model. */
export function checkInput(tool: Tool, raw: unknown): CheckedInput | { readonly fault: string } {
  try {
    const before: unknown = tool.inputSchema.parse(raw);
    return { tool, raw, parsed: copyOf(before), before };
  } catch (error) {
    // A tool of a registry also refuses calls for reasons other than their input.
    if (isAgentError(error) && error.code !== 'VALIDATION_ERROR') return { fault: error.message };
    return { fault: `Invalid input for ${tool.name}: ${faultsText(error)}` };
  }
}

/** True when tool and input are still the checked ones. */
export function isStill(checked: CheckedInput, tool: Tool, input: unknown): boolean {
  return checked.tool === tool && checked.parsed === input && isLike(input, checked.before);
}
