import type { ToolEffect } from '@x/core';
import type { ToolImplementation } from './metadata.ts';

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
