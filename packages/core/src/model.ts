import type { JsonSchema } from '@x/json-schema';
import type { AgentEvent } from './event.ts';
import type { AssistantMessage, MediaBlock, Message } from './message.ts';
import type { ModelOptions } from './model-options.ts';
import type { Tool } from './tool.ts';

/** Yields deltas, returns the finished message. */
export type ModelStream = AsyncGenerator<AgentEvent, AssistantMessage, void>;
/** A model of some service; stateless, so one object serves any number of sessions. */
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** Refuses options that the model does not take. Without this method all are refused. @throws ValidationError naming the option */
  checkOptions?(options: ModelOptions): void;
  /** False for a part of a message that the model is known not to read. Absent: nothing is known, and everything is passed on. */
  reads?(part: MediaBlock): boolean;
  /** True when its service searches `deferredTools` of a request by itself. Absent: it does not. */
  readonly defersTools?: boolean;
  /** True when its service has computer use, and takes a tool with `computer`. Absent: it refuses one. */
  readonly usesComputer?: boolean;
  /**
   * Asks the service for the input tokens of a request, which it does not answer. Absent: it does not count. @throws ModelError, AbortError
   */
  countTokens?(request: ModelRequest): Promise<number>;
  /** @throws ModelError, with `retryable` set, before or during the stream. */
  stream(request: ModelRequest): ModelStream;
}
/** One call of a model; `tools` keeps its identity through a run, so that adapters may cache by it. */
export interface ModelRequest {
  readonly instruction: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Further tools, which the service shows to the model when its search has found them; for a model that `defersTools`, not empty. */
  readonly deferredTools?: readonly Tool[];
  readonly outputFormat?: { readonly name: string; readonly schema: JsonSchema; readonly strict: boolean };
  /** Options of the model for this call, checked before it is made. */
  readonly options?: ModelOptions;
  readonly signal: AbortSignal;
  /** The id for the reply; absent: one of the model's own. */
  readonly replyId?: string;
  /** True when somebody follows: `tool_input_start` and `tool_input_delta` events are wanted. */
  readonly tellsToolInput?: boolean;
  /** The model that is asked: that of the run, unless a handler has replaced it. Absent in requests outside of a run. */
  readonly model?: Model;
}
