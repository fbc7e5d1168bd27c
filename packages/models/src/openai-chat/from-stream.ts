import type { AssistantMessage, TokenUsage } from '@x/core';
import { errorOfEvent } from '../model-error.ts';
import { type DeltaEvent, DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { EventStream } from '../wire/event-stream.ts';
import { cutReply, malformedEvent, type ReplyFacts, type ReplyReader, replyMessage } from '../wire/reply-reader.ts';
import { TextFrame } from '../wire/text-frame.ts';
import { usageOf } from './token-usage.ts';
import { type CallPiece, ToolCalls } from './tool-calls.ts';

type Block = AssistantMessage['content'][number];

/** Reads a streamed chat completion. */
export class ChatReplyReader implements ReplyReader {
  readonly #facts: ReplyFacts;
  readonly #stream: EventStream = new EventStream((data, event) => this.#read(data, event));
  readonly #calls = new ToolCalls();
  readonly #frame = new TextFrame('content');
  readonly #blocks: ({ type: 'text'; text: string } | { type: 'thinking'; text: string })[] = [];
  readonly #events = new DeltaQueue();
  #finishReason = '';
  #refused = false;
  #usage: TokenUsage | undefined;
  #done = false;

  constructor(facts: ReplyFacts) {
    this.#facts = facts;
  }

  get done(): boolean {
    return this.#done;
  }

  push(piece: string): readonly DeltaEvent[] {
    this.#stream.push(piece);
    return this.#events.take();
  }

  end(): readonly DeltaEvent[] {
    this.#stream.end();
    return this.#events.take();
  }

  message(): AssistantMessage {
    if (!this.#done && this.#finishReason === '') throw cutReply(this.#facts.context);
    const stopReason = this.#stopReason();
    const cut = stopReason === 'length' || stopReason === 'refusal';
    const content: Block[] = [...this.#blocks, ...this.#calls.blocks({ cut })];
    const usage = this.#usage ?? estimatedUsage(this.#facts.request, content);
    return replyMessage(this.#facts, { content, usage, stopReason });
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
    this.#events.add(type === 'text' ? 'content' : 'thinking', text);
  }

  /** An event that bears a name of its own may hold anything; all others hold a chunk. */
  #parse(data: string, event: string): WireChunk | undefined {
    try {
      const chunk: unknown = JSON.parse(data);
      // every field of it is looked at before it is used
      if (typeof chunk === 'object' && chunk !== null) return chunk;
    } catch (cause) {
      if (event === '' || event === 'message') throw malformedEvent(this.#facts.context, cause);
    }
    if (event === 'error') throw errorOfEvent(data, this.#facts.context);
    return undefined;
  }

  #stopReason(): AssistantMessage['stopReason'] {
    if (this.#finishReason === 'length') return 'length';
    if (this.#finishReason === 'content_filter' || this.#refused) return 'refusal';
    return this.#calls.size > 0 ? 'tool_use' : 'end';
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
