import type { AgentConfig, AssistantMessage, Inbox, Message, Model, ToolResult, Workspace } from '@x/core';
import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import type { Pipeline } from '@x/handlers';
import type { LiveRun } from './run-context.ts';

/** A call whose effect is not known, because the process ended while it ran. */
export interface InterruptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
/** Settles an interrupted call with what the host knows of it; nothing means it does not know either. */
export type Reconcile = (call: InterruptedCall) => Promise<ToolResult | undefined>;

/** What bounds the tool calls of a run, and settles what was cut off. */
export interface RunLimits {
  /** Default 8. */
  readonly maxParallelTools?: number;
  /** Milliseconds a tool may run; none by default. Waiting for a permission does not count. */
  readonly toolTimeout?: number;
  /** A tool that is out of time: an error for the model (default), or the end of the run with the `TimeoutError`. */
  readonly onToolTimeout?: 'result' | 'throw';
  /** Bytes of UTF-8 a tool result keeps; default 1 MiB. */
  readonly maxToolOutputBytes?: number;
  readonly reconcile?: Reconcile;
}
/** Everything one run needs. */
export interface RunOptions extends RunLimits {
  /** Cloned before the handlers see it, except for the messages of its input, which are frozen. */
  readonly config: AgentConfig;
  readonly pipeline: Pipeline;
  readonly run: LiveRun;
  readonly model: Model;
  readonly inbox: Inbox;
  readonly workspace: Workspace;
  /**
   * Which tools the run may not have, whatever its handlers add: for such a name the text that a call of it is answered with,
   * undefined for all others.
   */
  readonly outside?: (toolName: string) => string | undefined;
  /** US dollars of a reply, for its `usage` event; undefined when the price is not known. */
  readonly costOf?: (reply: AssistantMessage) => number | undefined;
}

export const LIMITS: OptionRules<RunLimits> = {
  maxParallelTools: is.count(),
  toolTimeout: is.count(),
  onToolTimeout: is.oneOf('result', 'throw'),
  maxToolOutputBytes: is.count(),
  reconcile: is.callback,
};
/** What is made for each run is not looked at. */
export const RUN_OPTIONS: OptionRules<RunOptions> = {
  ...LIMITS,
  config: is.anything,
  pipeline: is.anything,
  run: is.anything,
  model: is.anything,
  inbox: is.anything,
  workspace: is.anything,
  outside: is.anything,
  costOf: is.anything,
};

/** How a run ended that did not fail. */
export interface RunResult {
  readonly subtype: 'success' | 'max_turns' | 'aborted';
  readonly messages: readonly Message[];
  /** The answer, where it is not the text of the last reply: the output of the call that ended the run, or what a handler has made of it. */
  readonly content?: string;
  /** What a handler has made of the answer. */
  readonly structured?: unknown;
}
