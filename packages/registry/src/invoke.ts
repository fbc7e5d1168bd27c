import { AbortError, isAgentError, type ToolEffect, ToolExecutionError } from '@x/core';
import type { ToolErrorCall } from '@x/core/internal';
import type { ImplementationContext, ToolImplementation } from './metadata.ts';
import type { ToolRecord } from './tool-info.ts';

/** Facts of a call for the host; every field is an option of `ToolExecutor.execute` too. */
export interface Invocation {
  /** The name of the tool. */
  readonly tool: string;
  /** Effect of a tool that was `add`ed; metadata have none. */
  readonly effect?: ToolEffect;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

/**
 * Runs an implementation for the registry, once or several times: with a time limit, retries, a limit of concurrent calls. The parameters
 * are checked already. Its result is the result of the call; its error is treated like an error of the tool.
 */
export type Invoke = (
  implementation: ToolImplementation,
  parameters: Record<string, unknown>,
  invocation: Invocation,
) => Promise<unknown>;

/** Parses the parameters of a call. @throws ValidationError, ToolExecutionError around an error that a foreign schema throws */
export function parsedBy(record: ToolRecord, parameters: unknown): Record<string, unknown> {
  try {
    return record.input.parse(parameters);
  } catch (error) {
    throw failureOfTool({ toolName: record.metadata.name, input: parameters }, error);
  }
}

/** Runs an implementation of a tool, through the host's `invoke` where there is one. */
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
 * Returns the error for the caller of a tool that threw: errors of our own family as they are, any other in a `ToolExecutionError`.
 * Its message has `reason` where a model is to read it; what a foreign error says may be nothing for other callers.
 */
export function failureOfTool(
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

/** True for an error of a tool that obeys its signal: the reason of the abort, or an error of that name. */
function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  return thrown === signal.reason || (thrown instanceof Error && thrown.name === 'AbortError');
}
