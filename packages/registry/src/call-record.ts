import { AbortError, isAgentError, ToolExecutionError } from '@x/core';
import type { ToolErrorCall } from '@x/core/internal';
import type { Invocation, Invoke } from './invoke.ts';
import type { ImplementationContext, ToolImplementation } from './metadata.ts';
import type { ToolRecord } from './tool-info.ts';

/** Parses the parameters with the tool's schema. @throws ValidationError, or ToolExecutionError for an error of a foreign schema */
export function parsedBy(record: ToolRecord, parameters: unknown): Record<string, unknown> {
  try {
    return record.input.parse(parameters);
  } catch (error) {
    throw failureOf({ toolName: record.metadata.name, input: parameters }, error);
  }
}

/** Runs an implementation of a tool, through the host's `invoke` if there is one. */
export function invoked(
  { metadata: { name }, tool }: ToolRecord,
  implementation: ToolImplementation,
  input: Record<string, unknown>,
  context: ImplementationContext,
  invoke: Invoke | undefined,
): Promise<unknown> {
  if (!invoke) return implementation(input, context);
  const invocation: Invocation = { tool: name, ...(tool ? { effect: tool.effect } : {}), ...context };
  return invoke(implementation, input, invocation);
}

/**
 * The error for the caller of a failed tool: errors of this SDK unchanged, any other in a `ToolExecutionError`. `reason` is added to its
 * message for a model; other callers may not want the text of a foreign error.
 */
export function failureOf(
  { toolName, input }: ToolErrorCall,
  thrown: unknown,
  signal?: AbortSignal,
  reason = '',
): unknown {
  if (isAgentError(thrown)) return thrown;
  if (signal?.aborted && isAbort(thrown, signal)) {
    const aborted = new AbortError();
    aborted.cause = thrown;
    return aborted;
  }
  return new ToolExecutionError(`Tool execution failed: ${toolName}${reason}`, thrown, { toolName, input });
}

/** True for the error of a tool that obeys its signal: the reason of the abort, or an error of that name. */
function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  return thrown === signal.reason || (thrown instanceof Error && thrown.name === 'AbortError');
}
