import type { ToolEffect } from '@x/core';
import type { ToolImplementation } from './metadata.ts';

/** What a host is told of the call it runs; every field is an option of `ToolExecutor.execute` too. */
export interface Invocation {
  /** The name of the tool. */
  readonly tool: string;
  /** Of a tool that was `add`ed; metadata do not say it. */
  readonly effect?: ToolEffect;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

/**
 * Runs an implementation for the registry, once or several times: with a time limit, retries, a limit of calls at once. The
 * parameters are checked already. What it resolves with is the result; what it throws is treated like an error of the tool.
 */
export type Invoke = (
  implementation: ToolImplementation,
  parameters: Record<string, unknown>,
  invocation: Invocation,
) => Promise<unknown>;
