import type { AgentEvent } from './event.ts';
import type { FailureFacts } from './failure-facts.ts';
import type { Message, UserMessage } from './message.ts';
import type { ModelRequest, ModelStream } from './model.ts';
import type { RunContext } from './run-context.ts';
import type { Tool, ToolCall, ToolStream } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/** Config that `beforeAgent` may change, in place or by returning another. A fresh copy for each run. */
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
/** The answer that a run is about to end with. */
export interface RunAnswer {
  /** The text of the last reply, or the output of the call that has returned directly; then the last message contains that output. */
  readonly content: string;
  /** The value that a handler has made of the text; present only when one has. */
  readonly structured?: unknown;
  readonly messages: readonly Message[];
}
/** A handler's verdict about an answer; absent fields leave the answer unchanged. */
export interface AnswerVerdict {
  /** User messages that start another turn: the answer is rejected. */
  readonly again?: readonly UserMessage[];
  readonly content?: string;
  /** Becomes part of the `result`. */
  readonly structured?: unknown;
}
/** One concern attached to a run. Every method is optional; own state and methods are allowed, under names unlike these. */
export interface AgentHandler {
  readonly name: string;
  /** Never present: passing a class instead of its instance does not compile. */
  readonly prototype?: never;
  // rewrite: each gets the result of the one before it
  beforeAgent?(config: AgentConfig, run: RunContext): Awaitable<AgentConfig | void>;
  /** Rewrites every user message, the first and those steered in. @throws to refuse it. */
  beforeUserMessage?(message: UserMessage, run: RunContext): Awaitable<UserMessage | void>;
  beforeModelRewriteHistory?(messages: readonly Message[], run: RunContext): Awaitable<readonly Message[]>;
  afterModelRewriteHistory?(messages: readonly Message[], run: RunContext): Awaitable<readonly Message[]>;
  /**
   * Called when the run is about to end: the model has no more tool calls, or one has returned directly. Returned user messages start
   * another turn.
   */
  afterAgent?(messages: readonly Message[], run: RunContext): Awaitable<readonly UserMessage[] | void>;
  /**
   * Called when nothing prevents the end of the run: no `afterAgent` and no waiting message starts another turn. Each handler gets the
   * answer as the one before it has left it; after the first that asks for another turn none is called. @throws to end the run with the
   * error.
   */
  checkAnswer?(answer: RunAnswer, run: RunContext): Awaitable<AnswerVerdict | void>;
  // wrap: the first handler is the outermost layer
  wrapModelCall?(request: ModelRequest, next: ModelNext, run: RunContext): ModelStream;
  wrapToolCall?(call: ToolCall, next: ToolNext, run: RunContext): ToolStream;
  /** The two narrow forms of the specification. One alone is adapted to both kinds of tools; with both, `tool.streaming` decides. */
  wrapInvokableToolCall?(
    call: ToolCall,
    next: (call: ToolCall) => Promise<ToolResult>,
    run: RunContext,
  ): Promise<ToolResult>;
  wrapStreamableToolCall?(call: ToolCall, next: ToolNext, run: RunContext): ToolStream;
  // observe: sees every event of the run, changes none
  onEvent?(event: AgentEvent, run: RunContext): Awaitable<void>;
  /**
   * Called once for every run that has begun, after everything else, however it ended. Release here what `beforeAgent` has opened. Every
   * handler is called; the first error ends the run with it, unless the run has failed already.
   */
  runEnded?(end: RunEnd, run: RunContext): Awaitable<void>;
}
/** The end of a run; `aborted` also when its reader has left. */
export interface RunEnd {
  readonly subtype: 'success' | 'max_turns' | 'aborted' | 'waiting' | 'error';
  /** The error of the run; set exactly for `error`. */
  readonly failure?: unknown;
  /** The facts of the failure, as `error` events have them. */
  readonly error?: FailureFacts & { readonly message: string };
}
