import type { AssistantMessage, ContentMessage, ModelRequest, ThinkingMessage, TokenUsage } from '@x/core';
import { type ErrorContext, errorOfEvent, ModelError } from '../model-error.ts';
import { EventStream } from './event-stream.ts';
import { TextFrame } from './text-frame.ts';
import { estimatedUsage, usageOf } from './token-usage.ts';
import { type CallPiece, ToolCalls } from './tool-calls.ts';

type DeltaEvent = ContentMessage | ThinkingMessage;
type Block = AssistantMessage['content'][number];

/** What the finished message says besides what was streamed. */
export interface ReplyFacts {
  readonly model: string;
  readonly request: ModelRequest;
  readonly context: ErrorContext;
}

/** Turns the text of one streamed reply into events and, at its end, the message. */
export class ReplyReader {
  readonly #facts: ReplyFacts;
  readonly #stream: EventStream = new EventStream((data, event) => this.#read(data, event));
  readonly #calls = new ToolCalls();
  readonly #frame = new TextFrame();
  readonly #blocks: ({ type: 'text'; text: string } | { type: 'thinking'; text: string })[] = [];
  #events: DeltaEvent[] = [];
  #finishReason = '';
  #refused = false;
  #usage: TokenUsage | undefined;
  #done = false;

  constructor(facts: ReplyFacts) {
    this.#facts = facts;
  }

  /** True once `[DONE]` has come: whatever follows does not count. */
  get done(): boolean {
    return this.#done;
  }

  /** The events of this piece, the text of one kind that came together in one event. @throws ModelError */
  push(piece: string): readonly DeltaEvent[] {
    this.#stream.push(piece);
    return this.#takeEvents();
  }

  /** The events of what was left over. @throws ModelError */
  end(): readonly DeltaEvent[] {
    this.#stream.end();
    return this.#takeEvents();
  }

  /** @throws ModelError when the stream was cut: a half reply is nobody's reply */
  message(): AssistantMessage {
    if (!this.#done && this.#finishReason === '') throw this.#cut();
    const stopReason = this.#stopReason();
    const cut = stopReason === 'length' || stopReason === 'refusal';
    const content: Block[] = [...this.#blocks, ...this.#calls.blocks({ cut })];
    return {
      id: crypto.randomUUID(),
      createdAt: new Date().toISOString(),
      role: 'assistant',
      content,
      provider: this.#facts.context.provider,
      model: this.#facts.model,
      usage: this.#usage ?? estimatedUsage(this.#facts.request, content),
      stopReason,
    };
  }

  #takeEvents(): readonly DeltaEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  #read(data: string, event: string): void {
    if (this.#done) return;
    if (data === '[DONE]') {
      this.#done = true;
      return;
    }
    const framed = this.#frame.textIn(data);
    if (framed !== undefined) return this.#add('text', framed);
    const chunk = this.#parse(data, event);
    if (!chunk) return;
    const text = onlyTextOf(chunk);
    if (text !== undefined) {
      this.#frame.learn(data, text, (probe) => onlyTextOf(JSON.parse(probe) as WireChunk));
      return this.#add('text', text);
    }
    this.#readChunk(chunk, event);
  }

  #readChunk(chunk: WireChunk, event: string): void {
    const error = chunk.error ?? (event === 'error' ? chunk : undefined);
    if (error !== undefined && error !== null) throw errorOfEvent(error, this.#facts.context);
    if (chunk.usage) this.#usage = usageOf(chunk.usage) ?? this.#usage;
    const choice = chunk.choices?.[0];
    if (!choice) return;
    if (choice.delta) this.#readDelta(choice.delta);
    if (typeof choice.finish_reason === 'string') this.#finishReason ||= choice.finish_reason;
    if (this.#finishReason === 'error') throw errorOfEvent(choice.error ?? {}, this.#facts.context);
  }

  #readDelta({ content, reasoning_content, reasoning, refusal, tool_calls }: WireDelta): void {
    const thinking = reasoning_content ?? reasoning;
    if (typeof thinking === 'string') this.#add('thinking', thinking);
    if (typeof content === 'string') this.#add('text', content);
    if (typeof refusal === 'string' && refusal !== '') {
      this.#refused = true;
      this.#add('text', refusal);
    }
    if (Array.isArray(tool_calls)) for (const piece of tool_calls) if (piece) this.#calls.add(piece);
  }

  #add(type: 'text' | 'thinking', text: string): void {
    if (text === '') return;
    const block = this.#blocks.at(-1);
    if (block?.type === type) block.text += text;
    else this.#blocks.push({ type, text });
    const event = this.#events.at(-1);
    const eventType = type === 'text' ? 'content' : 'thinking';
    if (event?.type === eventType) event.delta += text;
    else this.#events.push({ type: eventType, delta: text });
  }

  /** An event that bears a name of its own may hold anything; all others hold a chunk. */
  #parse(data: string, event: string): WireChunk | undefined {
    try {
      const chunk: unknown = JSON.parse(data);
      // every field of it is looked at before it is used
      if (typeof chunk === 'object' && chunk !== null) return chunk;
    } catch (cause) {
      if (event === '' || event === 'message') throw this.#malformed(cause);
    }
    if (event === 'error') throw errorOfEvent(data, this.#facts.context);
    return undefined;
  }

  #stopReason(): AssistantMessage['stopReason'] {
    if (this.#finishReason === 'length') return 'length';
    if (this.#finishReason === 'content_filter' || this.#refused) return 'refusal';
    return this.#calls.size > 0 ? 'tool_use' : 'end';
  }

  #malformed(cause: unknown): ModelError {
    const { provider } = this.#facts.context;
    return new ModelError(`${provider} sent an event that is not JSON`, { provider, retryable: true, cause });
  }

  #cut(): ModelError {
    const { provider } = this.#facts.context;
    return new ModelError(`${provider} ended the stream before the reply was complete`, { provider, retryable: true });
  }
}

/** The text of a chunk that says nothing else. */
function onlyTextOf({ choices, usage, error }: WireChunk): string | undefined {
  const [choice] = choices ?? [];
  if (choices?.length !== 1 || !choice?.delta || usage || error || choice.error || choice.finish_reason)
    return undefined;
  const { content, reasoning_content, reasoning, refusal, tool_calls } = choice.delta;
  if (typeof content !== 'string' || content === '') return undefined;
  return reasoning_content || reasoning || refusal || tool_calls ? undefined : content;
}

interface WireDelta {
  readonly content?: unknown;
  /** DeepSeek, vLLM, Qwen. */
  readonly reasoning_content?: unknown;
  /** OpenRouter, Groq. */
  readonly reasoning?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: readonly (CallPiece | null)[] | null;
}
interface WireChunk {
  readonly error?: unknown;
  readonly usage?: unknown;
  readonly choices?: readonly {
    readonly delta?: WireDelta | null;
    readonly finish_reason?: unknown;
    readonly error?: unknown;
  }[];
}
