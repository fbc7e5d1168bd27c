import type { AssistantMessage } from '@x/core';
import { BareError } from '../wire/bare-error.ts';
import { displayIn, withComputerCalls } from '../wire/computer-calls.ts';
import { type DeltaEvent, DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { EventStream } from '../wire/event-stream.ts';
import { withAnswer } from '../wire/final-answer.ts';
import type { FinalTool } from '../wire/final-tool.ts';
import { HeldDeltas } from '../wire/held-deltas.ts';
import { recordOf } from '../wire/json-values.ts';
import { errorOfEvent, ModelError } from '../wire/model-error.ts';
import { cutReply, malformedEvent, type ReplyFacts, type ReplyReader, replyMessage } from '../wire/reply-reader.ts';
import { TextFrame } from '../wire/text-frame.ts';
import { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { readComputerCall } from './computer.ts';
import { finalToolOf } from './final-tool.ts';
import { type ReplyBlock, ReplyBlocks, stepOf } from './reply-blocks.ts';
import { UsageReports } from './token-usage.ts';

type Event = Readonly<Record<string, unknown>>;

/** Half the names are Anthropic's, the others are passed on by compatible services. */
const STOP_REASONS: Readonly<Record<string, AssistantMessage['stopReason']>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  length: 'length',
  refusal: 'refusal',
  content_filter: 'refusal',
};
const PAUSED = 'pause_turn';
const SPACE = 0x20;
const BRACE = 0x7d;

/** Reads a streamed message. */
export class AnthropicReplyReader implements ReplyReader {
  readonly #facts: ReplyFacts;
  readonly #finalTool: FinalTool | undefined;
  readonly #stream: EventStream = new EventStream((data, event) => this.#read(data, event));
  readonly #bareError = new BareError();
  readonly #blocks = new ReplyBlocks();
  readonly #usage = new UsageReports();
  readonly #events = new DeltaQueue();
  /** Holds deltas back when a tool gives the answer. */
  readonly #held: HeldDeltas | undefined;
  readonly #tellsInput: ToolInputTeller | undefined;
  /** Recognises chunks of `#framed`. */
  #frame = new TextFrame('text');
  #framed: ReplyBlock | undefined;
  /** `nameless`: events without names, which some services omit. */
  #state: 'waiting' | 'open' | 'nameless' = 'waiting';
  #stopReason: string | undefined;
  /** The `message` of the start. */
  #announced: Event | undefined;
  /** The reply is complete: its end has come, or its stop reason, after which some services send nothing more. */
  #complete = false;
  #done = false;
  #content: AssistantMessage['content'] | undefined;

  readonly #onPause: ((reply: AssistantMessage) => void) | undefined;

  /** `onPause` is called with a reply that the service has paused, and goes on with when it is sent back. */
  constructor(facts: ReplyFacts, onPause?: (reply: AssistantMessage) => void) {
    this.#facts = facts;
    this.#onPause = onPause;
    this.#finalTool = finalToolOf(facts.request, facts.model);
    this.#held = this.#finalTool && new HeldDeltas(this.#events);
    this.#tellsInput = ToolInputTeller.for(facts.request, this.#events, this.#finalTool);
  }

  get done(): boolean {
    return this.#done;
  }

  push(piece: string): readonly DeltaEvent[] {
    this.#stream.push(piece);
    const bare = this.#done ? undefined : this.#bareError.in(piece);
    if (bare) throw this.#errorIn(bare);
    return this.#events.take();
  }

  end(): readonly DeltaEvent[] {
    this.#stream.end();
    if (this.#complete) this.#finish();
    return this.#events.take();
  }

  message(): AssistantMessage {
    if (!this.#complete) throw cutReply(this.#facts.context);
    const plain = this.#finish();
    const hasCalls = plain.some(({ type }) => type === 'tool_use');
    const isNative = hasCalls && displayIn(this.#facts.request.tools) !== undefined;
    const content = isNative ? withComputerCalls(plain, readComputerCall) : plain;
    const usage = this.#usage.total() ?? estimatedUsage(this.#facts.request, content);
    const early = this.#endedEarly();
    const stopReason = early ?? (hasCalls ? 'tool_use' : 'end');
    const { id, model, usage: counts } = this.#announced ?? {};
    const serviceTier = recordOf(counts)?.['service_tier'];
    const of = { id, model, stopReason: this.#stopReason, serviceTier };
    const reply = replyMessage(this.#facts, { content, usage, stopReason }, of);
    if (this.#stopReason === PAUSED && stopReason === 'end') this.#onPause?.(reply);
    return reply;
  }

  #read(data: string, event: string): void {
    if (this.#done || event === 'ping') return;
    const body = bodyOf(data);
    const framed = this.#frame.textIn(body);
    if (framed !== undefined && this.#framed) return this.#addFramed(this.#framed, framed);
    if (data === '[DONE]') {
      this.#done = true;
      if (this.#complete) this.#finish();
      return;
    }
    const chunk = this.#parse(data, event);
    if (chunk) this.#readEvent(chunk, event, body);
  }

  #readEvent(chunk: Event, event: string, body: string): void {
    const { type } = chunk;
    if (event === 'error' || type === 'error' || (type === undefined && chunk['error'])) {
      throw this.#errorIn(chunk);
    }
    if (type === 'message_start') return this.#start(chunk, event);
    // like the official client: events before the start are ignored, and nameless ones where others have names
    if (this.#state === 'waiting' || (event === '' && this.#state === 'open')) return;
    if (type === 'content_block_delta') this.#delta(chunk, body);
    else if (type === 'content_block_start') this.#open(chunk['index'], chunk['content_block']);
    else if (type === 'content_block_stop') this.#close(chunk['index']);
    else if (type === 'message_delta') {
      this.#usage.read(chunk['usage']);
      this.#stopFor(recordOf(chunk['delta'])?.['stop_reason']);
      this.#complete ||= this.#stopReason !== undefined;
    } else if (type === 'message_stop') {
      this.#done = true;
      this.#complete = true;
      this.#finish();
    }
  }

  #start({ message }: Event, event: string): void {
    if (this.#blocks.size > 0) throw this.#outOfOrder('message_start');
    this.#state = event === '' ? 'nameless' : 'open';
    const facts = recordOf(message);
    this.#announced = facts;
    this.#usage.read(facts?.['usage']);
    this.#stopFor(facts?.['stop_reason']);
    const content = facts?.['content'];
    for (const block of Array.isArray(content) ? content : []) this.#open(this.#blocks.size, block);
  }

  #open(index: unknown, announced: unknown): void {
    const block = this.#blocks.add(index, announced);
    if (block.kind === 'call') this.#tellsInput?.add(block, block.start, '');
    if (block.kind === 'opaque') return;
    this.#frame = new TextFrame(DELTAS[block.kind].field);
    this.#framed = block;
    if (block.kind === 'call') return;
    const text = block.text;
    block.text = '';
    this.#say(block, text);
  }

  #close(index: unknown): void {
    const block = this.#blocks.find(index);
    if (!block || block.ended) return;
    block.ended = true;
    const step = this.#tellsInput && block.kind === 'opaque' ? stepOf(block) : undefined;
    if (step) this.#tellsInput?.addStep(step);
  }

  #delta({ index, delta }: Event, body: string): void {
    const piece = recordOf(delta);
    switch (piece?.['type']) {
      case 'text_delta':
        return this.#speak('text', index, piece['text'], body);
      case 'thinking_delta':
        return this.#speak('thinking', index, piece['thinking'], body);
      case 'input_json_delta':
        if (this.#blocks.size === 0) throw this.#outOfOrder('input_json_delta');
        return this.#addInput(index, piece['partial_json'], body);
      case 'signature_delta':
        return this.#blocks.sign(index, piece['signature']);
      case 'citations_delta':
        return this.#blocks.cite(index, piece['citation']);
      case 'compaction_delta':
        return this.#blocks.complete(index, piece);
      default: {
        const block = this.#blocks.find(index);
        if (block) block.incomplete = true;
      }
    }
  }

  #addInput(index: unknown, piece: unknown, body: string): void {
    const added = this.#blocks.addInput(index, piece);
    if (added?.block.kind !== 'call') return;
    this.#learn(added.block, added.text, body);
    this.#tellsInput?.add(added.block, added.block.start, added.text);
  }

  #addFramed(block: ReplyBlock, text: string): void {
    if (block.kind !== 'call') return this.#say(block, text);
    block.json = (block.json ?? '') + text;
    this.#tellsInput?.add(block, block.start, text);
  }

  /** `body` has added the text to the block. */
  #learn(block: ReplyBlock, text: string, body: string): void {
    const { kind, index } = block;
    if (block !== this.#framed || kind === 'opaque') return;
    this.#frame.learn(body, text, (probe) => textOfDelta(JSON.parse(`${probe}}`) as Event, DELTAS[kind], index));
  }

  #speak(kind: 'text' | 'thinking', index: unknown, text: unknown, body: string): void {
    if (typeof text !== 'string') return;
    // some services announce no block for their first text
    if (this.#blocks.size === 0) this.#open(index, { type: kind });
    const block = this.#blocks.find(index, (one) => one.kind === kind);
    if (!block) return;
    this.#learn(block, text, body);
    this.#say(block, text);
  }

  #say(block: ReplyBlock, text: string): void {
    block.text += text;
    (this.#held ?? this.#events).add(block.kind === 'text' ? 'content' : 'thinking', text);
  }

  #stopFor(reason: unknown): void {
    if (typeof reason === 'string' && reason !== '') this.#stopReason = reason;
  }

  #endedEarly(): AssistantMessage['stopReason'] | undefined {
    const reason = this.#stopReason ?? '';
    return Object.hasOwn(STOP_REASONS, reason) ? STOP_REASONS[reason] : undefined;
  }

  /** The content, once nothing can be added to it. */
  #finish(): AssistantMessage['content'] {
    if (this.#content) return this.#content;
    const plain = this.#blocks.content({ cut: this.#endedEarly() !== undefined });
    this.#content = this.#finalTool ? withAnswer(plain, this.#finalTool) : plain;
    this.#held?.tell(this.#content);
    return this.#content;
  }

  #parse(data: string, event: string): Event | undefined {
    let value: unknown;
    try {
      if (data !== '') value = JSON.parse(data);
    } catch (cause) {
      // an event of unknown origin, such as a gateway's: where events have names, the official client does not read it
      if (event === '' && this.#state !== 'nameless') return undefined;
      if (event !== 'error') throw malformedEvent(this.#facts.context, cause);
      value = data;
    }
    const chunk = recordOf(value);
    if (event === 'error' && !chunk) throw errorOfEvent(value, this.#facts.context);
    return chunk;
  }

  #errorIn(chunk: Event): ModelError {
    return errorOfEvent(chunk['error'] ?? chunk, this.#facts.context, chunk['request_id']);
  }

  #outOfOrder(type: string): ModelError {
    const { provider } = this.#facts.context;
    return new ModelError(`${provider} sent ${type} where it cannot stand`, { provider, retryable: true });
  }
}

/**
 * An event without its last brace and the spaces before it: the service pads with a varying number of them, to hide the length of the text,
 * and without them the chunks of a block differ in nothing else.
 */
function bodyOf(data: string): string {
  let end = data.length - 1;
  if (data.charCodeAt(end) !== BRACE) return '';
  while (data.charCodeAt(end - 1) === SPACE) end--;
  return data.slice(0, end);
}

/** The deltas of a block, by its kind, and the field with their text. */
const DELTAS = {
  text: { delta: 'text_delta', field: 'text' },
  thinking: { delta: 'thinking_delta', field: 'thinking' },
  call: { delta: 'input_json_delta', field: 'partial_json' },
} as const;

/** The text of a chunk that contains nothing but a delta of this kind, for this block. */
function textOfDelta(
  { type, index, delta, error }: Event,
  kind: (typeof DELTAS)[keyof typeof DELTAS],
  of: unknown,
): string | undefined {
  const piece = recordOf(delta);
  if (type !== 'content_block_delta' || index !== of || error || piece?.['type'] !== kind.delta) return undefined;
  const text = piece[kind.field];
  return typeof text === 'string' ? text : undefined;
}
