import type {
  AgentConfig,
  AssistantMessage,
  Inbox,
  Message,
  Model,
  ModelOptions,
  Tool,
  ToolResult,
  Workspace,
} from '@x/core';
import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import type { Pipeline } from '@x/handlers';
import type { LiveRun } from './run-context.ts';

/** A call whose effect is not known, because the process ended during it. */
export interface InterruptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
/** Settles an interrupted call from the host's knowledge; undefined when the host does not know either. */
export type Reconcile = (call: InterruptedCall) => Promise<ToolResult | undefined>;

/** Limits of the tool calls of a run, and the settlement of interrupted ones. */
export interface RunLimits {
  /** Default 8. */
  readonly maxParallelTools?: number;
  /** Milliseconds that a tool may run; default: no limit. Waiting for a permission does not count. */
  readonly toolTimeout?: number;
  /** The effect of a tool's timeout: an error for the model (default), or the end of the run with the `TimeoutError`. */
  readonly onToolTimeout?: 'result' | 'throw';
  /** Bytes of UTF-8 that a tool result keeps; default 1 MiB. */
  readonly maxToolOutputBytes?: number;
  readonly reconcile?: Reconcile;
}
/** Everything one run needs. */
export interface RunOptions extends RunLimits {
  /** Cloned before handlers get it, except for the messages of its input, which are frozen. */
  readonly config: AgentConfig;
  readonly pipeline: Pipeline;
  readonly run: LiveRun;
  readonly model: Model;
  /** Options of the model in every request, under those of messages. */
  readonly modelOptions?: ModelOptions;
  readonly inbox: Inbox;
  readonly workspace: Workspace;
  /** Denies tools to the run, whatever its handlers add: returns the text that answers a call of such a tool, undefined for all others. */
  readonly outside?: (toolName: string) => string | undefined;
  /**
   * Tools that come and go while the run is under way, beside those of `config`: asked before its first turn and before each model call.
   * Gives the same list while nothing has changed. Handlers see those of the beginning; a later one is offered as it is.
   */
  readonly comingTools?: () => readonly Tool[];
  /** True while somebody follows the run: it then also tells what only they need. Default: never. */
  readonly isFollowed?: () => boolean;
  /** US dollars of a reply, asked once and kept with it; undefined when the price is not known. Not asked for one that has a cost. */
  readonly costOf?: (reply: AssistantMessage) => number | undefined;
}

export const LIMITS: OptionRules<RunLimits> = {
  maxParallelTools: is.count(),
  toolTimeout: is.count(),
  onToolTimeout: is.oneOf('result', 'throw'),
  maxToolOutputBytes: is.count(),
  reconcile: is.callback,
};
/** Parts created for each run are not checked. */
export const RUN_OPTIONS: OptionRules<RunOptions> = {
  ...LIMITS,
  config: is.anything,
  pipeline: is.anything,
  run: is.anything,
  model: is.anything,
  modelOptions: is.anything, // checked before each request
  inbox: is.anything,
  workspace: is.anything,
  outside: is.anything,
  comingTools: is.anything,
  isFollowed: is.anything,
  costOf: is.anything,
};

/** The end of a run that did not fail. */
export interface RunResult {
  /** `waiting`: calls of the last reply have no result, because they wait for an answer; a later attempt goes on with them. */
  readonly subtype: 'success' | 'max_turns' | 'aborted' | 'waiting';
  readonly messages: readonly Message[];
  /** The answer, if it is not the text of the last reply: the output of the call that ended the run, or a handler's version of it. */
  readonly content?: string;
  /** The value that a handler has made of the answer. */
  readonly structured?: unknown;
}
