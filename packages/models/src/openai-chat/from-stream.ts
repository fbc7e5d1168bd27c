import type { AssistantMessage } from '@x/core';
import { isObject } from '@x/errors';
import { type DeltaEvent, DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { EventStream, MOST } from '../wire/event-stream.ts';
import { type FinalCall, withAnswer } from '../wire/final-answer.ts';
import { HeldDeltas } from '../wire/held-deltas.ts';
import { recordOf } from '../wire/json-values.ts';
import { TokenLogprobs } from '../wire/logprobs.ts';
import { errorOfEvent } from '../wire/model-error.ts';
import {
  cutReply,
  type ReplyFacts,
  type ReplyReader,
  recordOfEvent,
  replyMessage,
  unreadableReply,
} from '../wire/reply-reader.ts';
import { withSources } from '../wire/sources.ts';
import { TextFrame } from '../wire/text-frame.ts';
import { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { ArgumentsFrame } from './arguments-frame.ts';
import { MESSAGE_FIELDS, THINKING_FIELDS } from './carried-fields.ts';
import { pageOf, pagesOf } from './cited-pages.ts';
import { endingOf, stopReasonOf } from './finish-reason.ts';
import { Reasoning } from './reasoning.ts';
import { ReplyText } from './reply-text.ts';
import { ReportedUsage } from './token-usage.ts';
import { ToolCalls } from './tool-calls.ts';
import {
  choicesOf,
  errorInChunk,
  type OnlyText,
  onlyTextOf,
  textParts,
  type WireChoice,
  type WireChunk,
  type WireDelta,
} from './wire-chunk.ts';

const BRACE = 0x7b;
const FIELDS_OF_THOUGHT = [...THINKING_FIELDS, ...MESSAGE_FIELDS];
/** Finish reasons that some servers send before the end. */
const NOT_FINISHED: ReadonlySet<string> = new Set(['', 'null']);

/** Reads a streamed chat completion. */
export class ChatReplyReader implements ReplyReader {
  readonly #facts: ReplyFacts;
  readonly #finalTool: FinalCall | undefined;
  readonly #tellsCost: boolean;
  readonly #stream: EventStream = new EventStream((data, event) => this.#read(data, event));
  /** Created with the first call. */
  #calls: ToolCalls | undefined;
  #functionCall: ToolCalls | undefined;
  readonly #reasoning = new Reasoning();
  readonly #textFrame = new TextFrame('content');
  readonly #argumentsFrame = new ArgumentsFrame();
  #thinkingFrame: { readonly field: OnlyText['field']; readonly frame: TextFrame } | undefined;
  readonly #text = new ReplyText();
  readonly #events = new DeltaQueue();
  /** Holds deltas back when a tool gives the answer. */
  readonly #held: HeldDeltas | undefined;
  readonly #usage = new ReportedUsage();
  readonly #logprobs: TokenLogprobs | undefined;
  #citations: readonly unknown[] = [];
  /** The body of an answer that is not an event stream after all. */
  #body: string | undefined;
  #begun = false;
  #answered = false;
  /** A whole reply in one object. */
  #isWhole = false;
  #finishReason = '';
  #id: unknown;
  #model: unknown;
  #serviceTier: unknown;
  #refused = false;
  #thoughtInText = false;
  #done = false;
  #content: AssistantMessage['content'] | undefined;

  /** `finalTool`: the tool through which the model gives its answer; `tellsCost`: its service tells US dollars. */
  constructor(facts: ReplyFacts, finalTool?: FinalCall, tellsCost = false) {
    this.#facts = facts;
    this.#tellsCost = tellsCost;
    this.#finalTool = finalTool;
    this.#held = finalTool && new HeldDeltas(this.#events);
    this.#logprobs = TokenLogprobs.for(facts.request);
  }

  get done(): boolean {
    return this.#done;
  }

  push(piece: string): readonly DeltaEvent[] {
    if (!this.#begun) this.#begin(piece);
    if (this.#body === undefined) this.#stream.push(piece);
    else this.#addToBody(piece);
    return this.#events.take();
  }

  end(): readonly DeltaEvent[] {
    this.#stream.end();
    if (this.#body !== undefined) this.#read(this.#body, '');
    if (!this.#done && (this.#finishReason !== '' || this.#isWhole)) this.#held?.tell(this.#settled());
    return this.#events.take();
  }

  message(): AssistantMessage {
    const { context, request } = this.#facts;
    if (!this.#answered || (this.#finishReason === '' && !this.#endsWhole())) throw cutReply(context);
    const content = this.#settled();
    const calls = content.filter(({ type }) => type === 'tool_use').length;
    const stopReason = stopReasonOf(this.#finishReason, { refused: this.#refused, calls });
    const usage = this.#usage.usage() ?? estimatedUsage(request, content);
    const of = { id: this.#id, model: this.#model, stopReason: this.#finishReason, serviceTier: this.#serviceTier };
    const cost = this.#tellsCost ? this.#usage.cost() : undefined;
    return replyMessage(this.#facts, { content, usage, stopReason, cost, ...this.#logprobs?.field() }, of);
  }

  /** Some services send no finish reason. A call that is incomplete by then stays so. */
  #endsWhole(): boolean {
    return (this.#done || this.#isWhole) && this.#gatheredCalls()?.areWhole !== false;
  }

  #gatheredCalls(): ToolCalls | undefined {
    return this.#calls?.size ? this.#calls : this.#functionCall;
  }

  /** The content, once nothing can be added to it. */
  #settled(): AssistantMessage['content'] {
    if (this.#content) return this.#content;
    const cut = endingOf(this.#finishReason) !== 'end' || this.#refused;
    const calls = this.#gatheredCalls()?.blocks({ provider: this.#facts.context.provider, cut }) ?? [];
    const said = this.#text.blocks(this.#facts.context.provider, this.#reasoning.fields());
    const plain = [...withSources(said, this.#citations), ...calls];
    return (this.#content = this.#finalTool ? withAnswer(plain, this.#finalTool) : plain);
  }

  /** Some servers answer with a single object although a stream was requested. */
  #begin(piece: string): void {
    const start = piece.trimStart();
    this.#begun = start !== '';
    if (start.startsWith('{')) this.#body = '';
  }

  #addToBody(piece: string): void {
    const body = (this.#body ?? '') + piece;
    if (body.length > MOST) {
      throw unreadableReply(this.#facts.context, new RangeError(`it has more than ${MOST} characters`));
    }
    this.#body = body;
  }

  #read(data: string, event: string): void {
    if (this.#done) return;
    const framed = this.#textFrame.textIn(data);
    if (framed !== undefined) return this.#add('text', framed);
    const thought = this.#thinkingFrame?.frame.textIn(data);
    if (thought !== undefined) return this.#add('thinking', thought, this.#thinkingFrame?.field);
    const piece = this.#argumentsFrame.pieceIn(data);
    if (piece) return this.#calls?.add(piece);
    if (data.charCodeAt(0) !== BRACE && this.#isNoChunk(data.trim(), event)) return;
    const chunk: WireChunk | undefined = recordOfEvent(data, event, this.#facts.context);
    if (!chunk) return;
    const { choices, usage, x_groq } = chunk;
    // nearly always
    if (event !== 'error' && !chunk.error && !x_groq && Array.isArray(choices)) {
      const only = usage || this.#logprobs ? undefined : onlyTextOf(chunk);
      if (only) this.#learn(data, only);
      else if (this.#calls && !usage && !this.#logprobs) this.#argumentsFrame.learn(data, chunk, this.#calls.size);
    } else {
      const error = errorInChunk(chunk, event, this.#facts.context);
      if (error) throw error;
    }
    this.#id ||= chunk.id; // some begin with empty ones
    this.#model ||= chunk.model;
    this.#serviceTier ||= chunk.service_tier;
    const pages = pagesOf(chunk);
    if (pages) this.#citations = pages;
    if (usage || x_groq) this.#usage.report(usage, x_groq?.usage);
    for (const choice of choicesOf(chunk)) this.#readChoice(choice);
  }

  /** True for data that is not JSON: the end marker, or nothing. */
  #isNoChunk(said: string, event: string): boolean {
    if (said === '[DONE]') {
      this.#done = true;
      this.#held?.tell(this.#settled());
      return true;
    }
    return said === '' && event !== 'error';
  }

  #learn(data: string, { field, text }: OnlyText): void {
    if (field !== 'content' && this.#thinkingFrame?.field !== field) {
      this.#thinkingFrame = { field, frame: new TextFrame(field) };
    }
    const frame = field === 'content' ? this.#textFrame : this.#thinkingFrame?.frame;
    frame?.learn(data, text, (probe) => {
      const read = onlyTextOf(JSON.parse(probe) as WireChunk); // safe: every field of it is looked at
      return read?.field === field ? read.text : undefined;
    });
  }

  #readChoice({ delta, message, finish_reason, usage, error, logprobs }: WireChoice): void {
    this.#answered = true;
    if (delta || this.#text.isEmpty) this.#logprobs?.addAll(recordOf(logprobs)?.['content']);
    if (usage) this.#usage.report(usage);
    if (error) throw errorOfEvent(error, this.#facts.context);
    if (typeof finish_reason === 'string' && !NOT_FINISHED.has(finish_reason)) this.#finish(finish_reason);
    if (delta) this.#readDelta(delta);
    if (message && this.#body !== undefined) this.#isWhole = true;
    if (message && this.#text.isEmpty && !this.#calls?.size && !this.#functionCall?.size) {
      this.#readDelta(message);
    }
  }

  #finish(reason: string): void {
    this.#finishReason = reason;
    if (endingOf(reason) !== 'failure') return;
    throw errorOfEvent({ message: `finish_reason ${reason}` }, this.#facts.context);
  }

  #readDelta(delta: WireDelta): void {
    const { content, refusal, tool_calls, function_call, annotations } = delta;
    if (Array.isArray(annotations)) this.#citations = [...this.#citations, ...annotations.map(pageOf)];
    if (thinks(delta)) this.#readThinking(delta);
    if (typeof content === 'string') this.#add('text', content);
    else if (content) for (const { type, text } of textParts(content)) this.#add(type, text);
    if (typeof refusal === 'string' && refusal !== '') {
      this.#refused = true;
      this.#add('text', refusal);
    }
    if (tool_calls) this.#readCalls(tool_calls);
    if (function_call) (this.#functionCall ??= new ToolCalls([])).add({ index: 0, function: function_call });
  }

  /** A list; a single piece from old servers for text generation. */
  #readCalls(given: unknown): void {
    const { request } = this.#facts;
    const tells = () => ToolInputTeller.for(request, this.#events, this.#finalTool);
    const calls = (this.#calls ??= new ToolCalls(this.#toolNames(), tells()));
    const pieces: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (let position = 0; position < pieces.length; position++) {
      const piece = pieces[position];
      if (isObject(piece)) calls.add(piece, position);
    }
  }

  #toolNames(): readonly string[] {
    const names = this.#facts.request.tools.map(({ name }) => name);
    return this.#finalTool ? [...names, this.#finalTool.name] : names;
  }

  #readThinking(delta: WireDelta): void {
    for (const field of THINKING_FIELDS) {
      const thought = delta[field];
      if (typeof thought !== 'string' || thought === '') continue;
      this.#thoughtInText = true;
      this.#add('thinking', thought, field);
      break; // the other says the same
    }
    if (!MESSAGE_FIELDS.some((name) => delta[name])) return;
    const text = this.#reasoning.add(delta);
    // most services send the same in both places
    if (!this.#thoughtInText) this.#add('thinking', text);
  }

  #add(type: 'text' | 'thinking', text: string, field?: string): void {
    if (text === '') return;
    this.#text.add(type, text, field);
    (this.#held ?? this.#events).add(type === 'text' ? 'content' : 'thinking', text);
  }
}

/** Fast check for every chunk, so that most need no closer look. */
function thinks(delta: WireDelta): boolean {
  for (const field of FIELDS_OF_THOUGHT) if (delta[field]) return true;
  return false;
}
