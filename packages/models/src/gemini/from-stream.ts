import type { AssistantMessage } from '@x/core';
import { BareError } from '../wire/bare-error.ts';
import { displayIn, withComputerCalls } from '../wire/computer-calls.ts';
import { type DeltaEvent, DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { EventStream } from '../wire/event-stream.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { TokenLogprobs } from '../wire/logprobs.ts';
import { errorOfEvent } from '../wire/model-error.ts';
import { cutReply, type ReplyFacts, type ReplyReader, recordOfEvent, replyMessage } from '../wire/reply-reader.ts';
import { withSources } from '../wire/sources.ts';
import { TextFrame } from '../wire/text-frame.ts';
import { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { computerCallReader } from './computer.ts';
import { finalToolOf } from './final-tool.ts';
import { traitsOf } from './model-traits.ts';
import { ReplyParts } from './reply-parts.ts';
import { type Ending, endingError, isCut, stopReasonOf } from './stop-reason.ts';
import { TokenTally } from './token-usage.ts';

/** Reads a streamed `generateContent`. Its end is a `finishReason`; later chunks still count. */
export class GeminiReplyReader implements ReplyReader {
  readonly #facts: ReplyFacts;
  /** Like the official client, reads everything up to an empty line as data. */
  readonly #stream: EventStream = new EventStream((data, event) => this.#read(data, event), { joinsLines: true });
  readonly #bareError = new BareError();
  readonly #events = new DeltaQueue();
  readonly #parts: ReplyParts;
  readonly #usage = new TokenTally();
  readonly #logprobs: TokenLogprobs | undefined;
  #frame = new TextFrame('text');
  #learned = false;
  /** Pages found by the service's own search (`groundingMetadata.groundingChunks`). */
  #grounding: readonly unknown[] = [];
  #finishReason = '';
  #id: unknown;
  #model: unknown;
  #finishMessage = '';
  #blocked = false;
  #done = false;

  constructor(facts: ReplyFacts) {
    this.#facts = facts;
    const finalTool = finalToolOf(facts.request, traitsOf(facts.model));
    const tellsInput = ToolInputTeller.for(facts.request, this.#events, finalTool);
    this.#logprobs = TokenLogprobs.for(facts.request);
    this.#parts = new ReplyParts({ events: this.#events, context: facts.context, finalTool, tellsInput });
  }

  /** Only some gateways send it. */
  get done(): boolean {
    return this.#done;
  }

  push(piece: string): readonly DeltaEvent[] {
    this.#stream.push(piece);
    const bare = this.#done ? undefined : this.#bareError.in(piece);
    if (bare) throw errorOfEvent(bare['error'], this.#facts.context);
    return this.#events.take();
  }

  end(): readonly DeltaEvent[] {
    this.#stream.end();
    if (this.#finishReason !== '') this.#parts.blocks({ cut: isCut(this.#ending()) });
    return this.#events.take();
  }

  message(): AssistantMessage {
    const { context, request } = this.#facts;
    const ending = this.#ending();
    if (ending.reason === '' && !ending.blocked && !this.#done) throw cutReply(context);
    const plain = this.#parts.blocks({ cut: isCut(ending) });
    const error = endingError(ending, plain, context);
    if (error) throw error;
    const calls = plain.filter(({ type }) => type === 'tool_use').length;
    const display = calls > 0 ? displayIn(request.tools) : undefined;
    const content = display ? withComputerCalls(plain, computerCallReader(request.tools, display)) : plain;
    const usage = this.#usage.usage() ?? estimatedUsage(request, content);
    const said = {
      content: withSources(content, this.#grounding),
      usage,
      stopReason: stopReasonOf(ending, calls),
      ...this.#logprobs?.field(),
    };
    return replyMessage(this.#facts, said, { id: this.#id, model: this.#model, stopReason: ending.reason });
  }

  #ending(): Ending {
    return { reason: this.#finishReason, message: this.#finishMessage, blocked: this.#blocked };
  }

  #read(data: string, event: string): void {
    if (this.#done) return;
    const framed = this.#frame.textIn(data);
    if (framed !== undefined) return this.#parts.addText(framed);
    if (data === '[DONE]') {
      this.#done = true;
      this.#parts.blocks({ cut: isCut(this.#ending()) });
      return;
    }
    if (data.trim() === '') return; // a sign of life
    const chunk = recordOfEvent(data, event, this.#facts.context);
    if (Array.isArray(chunk)) for (const each of chunk) this.#readChunk(recordOf(each), event);
    else if (this.#readChunk(recordOf(chunk), event)) this.#learn(data, chunk);
  }

  /** True when its counts were known, so that the next chunk may differ in nothing but its text. */
  #readChunk(chunk: WireChunk | undefined, event: string): boolean {
    if (!chunk) return false;
    const error = chunk.error ?? (event === 'error' ? chunk : undefined);
    if (error) throw errorOfEvent(error, this.#facts.context);
    this.#id ||= chunk.responseId;
    this.#model ||= chunk.modelVersion;
    const hasNews = this.#usage.add(chunk.usageMetadata);
    if (hasNews && this.#learned) this.#forget();
    if (chunk.promptFeedback) this.#blocked ||= isReason(recordOf(chunk.promptFeedback)?.['blockReason']);
    const candidate = recordOf(Array.isArray(chunk.candidates) ? chunk.candidates[0] : undefined);
    if (candidate) this.#readCandidate(candidate);
    return !hasNews;
  }

  #readCandidate({ content, finishReason, finishMessage, groundingMetadata, logprobsResult }: WireCandidate): void {
    this.#logprobs?.addResult(logprobsResult);
    const found = recordOf(groundingMetadata)?.['groundingChunks'];
    if (Array.isArray(found)) this.#grounding = [...this.#grounding, ...found.map(citationOf)];
    const parts = recordOf(content)?.['parts'];
    if (Array.isArray(parts)) for (const part of parts) this.#parts.add(part);
    const reason = textIn(finishReason);
    if (reason === '' || (!isReason(reason) && this.#finishReason !== '')) return;
    this.#finishReason = reason.toUpperCase();
    this.#finishMessage = textIn(finishMessage);
  }

  #learn(data: string, chunk: unknown): void {
    const text = this.#logprobs ? undefined : onlyTextOf(chunk);
    if (text === undefined) return;
    this.#learned = true;
    this.#frame.learn(data, text, (probe) => onlyTextOf(JSON.parse(probe)));
  }

  /** A known frame contains the counts of the chunk that it was learned from. */
  #forget(): void {
    this.#learned = false;
    this.#frame = new TextFrame('text');
  }
}

/** `FINISH_REASON_UNSPECIFIED` and the like mean that the field is not set. */
function isReason(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.endsWith('_UNSPECIFIED');
}

/** A page that grounds a reply; its address is a redirect of the service. */
function citationOf(chunk: unknown): unknown {
  const { uri: url, title } = recordOf(recordOf(chunk)?.['web']) ?? {};
  return { url, title };
}

/** The text of a chunk that contains nothing else, apart from counts. */
function onlyTextOf(given: unknown): string | undefined {
  const chunk: WireChunk | undefined = recordOf(given);
  if (!chunk || chunk.error || chunk.promptFeedback || !Array.isArray(chunk.candidates)) return undefined;
  const candidate: WireCandidate | undefined = recordOf(chunk.candidates[0]);
  if (
    chunk.candidates.length !== 1 ||
    !candidate ||
    candidate.finishReason ||
    candidate.finishMessage ||
    candidate.groundingMetadata
  )
    return undefined;
  const parts = recordOf(candidate.content)?.['parts'];
  const part = Array.isArray(parts) && parts.length === 1 ? recordOf(parts[0]) : undefined;
  const text = part && Object.keys(part).length === 1 ? part['text'] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

interface WireChunk {
  readonly responseId?: unknown;
  readonly modelVersion?: unknown;
  readonly candidates?: unknown;
  readonly error?: unknown;
  readonly promptFeedback?: unknown;
  readonly usageMetadata?: unknown;
}
interface WireCandidate {
  readonly content?: unknown;
  readonly finishMessage?: unknown;
  readonly finishReason?: unknown;
  readonly groundingMetadata?: unknown;
  readonly logprobsResult?: unknown;
}
