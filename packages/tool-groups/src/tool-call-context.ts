import type { ToolContext } from '@x/core';

/** The caller of a tool, and values that the host passes on to it. */
export interface ToolCallContext {
  /** Absent: nobody, who may use nothing. A `roleId` that is not the agent's is refused. */
  readonly agent?: { readonly id: string; readonly roleId?: string };
  /** Ends the wait for the tool. */
  readonly signal?: AbortSignal;
  /** For tools that need a workspace or a journal: the context of the session in which the call was made. */
  readonly toolContext?: ToolContext;
  readonly [more: string]: unknown;
}
