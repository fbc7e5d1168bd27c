import { messageOf, type Tool } from '@x/core';

/** An input as the model gave it, and as the tool's schema parsed it. */
export interface CheckedInput {
  readonly tool: Tool;
  readonly raw: unknown;
  readonly parsed: unknown;
}

/** Parses an input, or says in words for the model why it does not fit. */
export function checkInput(tool: Tool, raw: unknown): CheckedInput | { readonly fault: string } {
  try {
    return { tool, raw, parsed: tool.inputSchema.parse(raw) };
  } catch (error) {
    return { fault: `Invalid input for ${tool.name}: ${messageOf(error)}` };
  }
}
