import type { AgentEvent } from './event.ts';
import type { AssistantMessage, Message } from './message.ts';
import type { JsonSchema } from './schema.ts';
import type { Tool } from './tool.ts';

/** Yields deltas, returns the finished message. */
export type ModelStream = AsyncGenerator<AgentEvent, AssistantMessage, void>;
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** @throws ModelError, with `retryable` set, before or during the stream. */
  stream(request: ModelRequest): ModelStream;
}
export interface ModelRequest {
  readonly instruction: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly outputFormat?: { readonly name: string; readonly schema: JsonSchema; readonly strict: boolean };
  readonly signal: AbortSignal;
}
