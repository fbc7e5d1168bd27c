import type { AgentEvent } from './event.ts';
import type { FailureFacts } from './failure-facts.ts';
import type { Message, UserMessage } from './message.ts';
import type { ModelRequest, ModelStream } from './model.ts';
import type { RunContext } from './run-context.ts';
import type { Tool, ToolCall, ToolStream } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/** What `beforeAgent` may change, in place or by returning another. A fresh copy for each run. */
export interface AgentConfig {
  instruction: string;
  tools: ToolMeta[];
  input: UserMessage[];
  options: { maxTurns: number };
}
/** A tool of one run. */
export interface ToolMeta {
  tool: Tool;
  /** True ends the run with this tool's result as the answer. */
  returnDirectly: boolean;
}
type Awaitable<T> = T | Promise<T>;
/** The layers inside of a model wrap. */
export type ModelNext = (request: ModelRequest) => ModelStream;
/** The layers inside of a tool wrap. */
export type ToolNext = (call: ToolCall) => ToolStream;
/** What a run is about to end with. */
export interface RunAnswer {
  /** The text of the last reply, or the output of the call that has returned directly; then the last message holds that output. */
  readonly content: string;
  /** What a handler has made of the text; present only when one has. */
  readonly structured?: unknown;
  readonly messages: readonly Message[];
}
/** What a handler makes of an answer; what is absent stays as it was. */
export interface AnswerVerdict {
  /** User messages that start another turn: the answer is none. */
  readonly again?: readonly UserMessage[];
  readonly content?: string;
  /** Goes into the `result`. */
  readonly structured?: unknown;
}
/** One concern attached to a run. Every method is optional; state and methods of its own are allowed, under names unlike these. */
export interface AgentHandler {
  readonly name: string;
  /** Never there: a class given for its instance does not compile. */
  readonly prototype?: never;
  // rewrite: each gets what the one before it returned
  beforeAgent?(config: AgentConfig, run: RunContext): Awaitable<AgentConfig | void>;
  /** Every user message, the first and those steered in. @throws to refuse it. */
  beforeUserMessage?(message: UserMessage, run: RunContext): Awaitable<UserMessage | void>;
  beforeModelRewriteHistory?(messages: readonly Message[], run: RunContext): Awaitable<readonly Message[]>;
  afterModelRewriteHistory?(messages: readonly Message[], run: RunContext): Awaitable<readonly Message[]>;
  /** When the run is about to end: the model has no more tool calls, or one has returned directly. User messages it returns start another turn. */
  afterAgent?(messages: readonly Message[], run: RunContext): Awaitable<readonly UserMessage[] | void>;
  /**
   * When nothing keeps the run from ending: no `afterAgent` and no message that waits starts another turn. Each gets the answer as the
   * one before it has left it; after the first that asks for another turn nobody is asked. @throws to end the run with the error.
   */
  checkAnswer?(answer: RunAnswer, run: RunContext): Awaitable<AnswerVerdict | void>;
  // wrap: the first handler is the outermost layer
  wrapModelCall?(request: ModelRequest, next: ModelNext, run: RunContext): ModelStream;
  wrapToolCall?(call: ToolCall, next: ToolNext, run: RunContext): ToolStream;
  /** The two specified narrow forms. One alone is adapted to both kinds of tools; both together go by `tool.streaming`. */
  wrapInvokableToolCall?(
    call: ToolCall,
    next: (call: ToolCall) => Promise<ToolResult>,
    run: RunContext,
  ): Promise<ToolResult>;
  wrapStreamableToolCall?(call: ToolCall, next: ToolNext, run: RunContext): ToolStream;
  // observe: sees every event of the run, changes none
  onEvent?(event: AgentEvent, run: RunContext): Awaitable<void>;
  /**
   * The run is over: once for every run that has begun, after everything else of it, however it ended. The place to let go of what
   * `beforeAgent` has opened. Every handler is told; the first error ends the run with it, unless the run has failed already.
   */
  runEnded?(end: RunEnd, run: RunContext): Awaitable<void>;
}
/** How a run ended; `aborted` also when its reader has left. */
export interface RunEnd {
  readonly subtype: 'success' | 'max_turns' | 'aborted' | 'error';
  /** What the run has thrown; set exactly for `error`. */
  readonly failure?: unknown;
  /** The facts of the failure, as `error` events have them. */
  readonly error?: FailureFacts & { readonly message: string };
}
