import type { AssistantMessage } from '@x/core';
import { BareError } from '../wire/bare-error.ts';
import { type DeltaEvent, DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { EventStream } from '../wire/event-stream.ts';
import { recordOf } from '../wire/json-values.ts';
import { TokenLogprobs } from '../wire/logprobs.ts';
import { errorOfEvent } from '../wire/model-error.ts';
import { cutReply, type ReplyFacts, type ReplyReader, recordOfEvent, replyMessage } from '../wire/reply-reader.ts';
import { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { type Fields, partsOf, textOfPart } from './carried-item.ts';
import { DeltaFrame } from './delta-frame.ts';
import { finalItems } from './final-items.ts';
import { OutputItems, type Says, type WireEvent } from './output-items.ts';
import { isCall, replyBlocks } from './reply-blocks.ts';
import { serviceToolStep } from './service-tools.ts';
import { TEXT_DELTAS, TEXT_ENDS, textKindOf } from './text-events.ts';
import { usageOf } from './token-usage.ts';

type Said = Pick<AssistantMessage, 'content' | 'usage' | 'stopReason' | 'logprobs'>;

/** Codes such as `invalid_prompt`, `image_too_large` or `bio_policy`: a retry would not help. */
const ABOUT_THE_REQUEST = /^(?:invalid|image|unsupported|empty|failed_to)_|policy/;

/** Events that repeat the request and contain nothing of the reply: the longest of the stream, and not worth parsing. */
const EMPTY: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** Reads a streamed response. */
export class ResponsesReplyReader implements ReplyReader {
  readonly #facts: ReplyFacts;
  readonly #stream: EventStream = new EventStream((data, event) => this.#read(data, event));
  readonly #bareError = new BareError();
  readonly #items: OutputItems;
  readonly #tellsInput: ToolInputTeller | undefined;
  readonly #frame = new DeltaFrame();
  readonly #events = new DeltaQueue();
  readonly #spoken = { content: '', thinking: '' };
  /** A commentary, and thoughts after it, until it is known whether an answer follows. */
  #held: { readonly says: Says; readonly text: string }[] = [];
  #previous = '';
  #number = Number.POSITIVE_INFINITY;
  #isCounted = false;
  #said: Said | undefined;
  /** The response as its last event has it. */
  #response: Fields = {};
  #done = false;

  constructor(facts: ReplyFacts) {
    this.#facts = facts;
    this.#tellsInput = ToolInputTeller.for(facts.request, this.#events);
    this.#items = new OutputItems((says, text) => this.#say(says, text), this.#tellsInput);
  }

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
    return this.#events.take();
  }

  message(): AssistantMessage {
    if (!this.#said) throw cutReply(this.#facts.context);
    const { id, model, status, incomplete_details, service_tier: serviceTier } = this.#response;
    const stopReason = recordOf(incomplete_details)?.['reason'] ?? status;
    return replyMessage(this.#facts, this.#said, { id, model, stopReason, serviceTier });
  }

  #read(data: string, name: string): void {
    if (this.#done || data === '' || EMPTY.has(name)) return;
    if (data === '[DONE]') return this.#endWithoutResponse();
    if (this.#readFramed(data)) return;
    const event: WireEvent | undefined = recordOfEvent(data, name, this.#facts.context, isOfResponse);
    if (!event || this.#repeats(data)) return;
    this.#count(event);
    const type = typeof event.type === 'string' ? event.type : name;
    const delta = TEXT_DELTAS.get(type);
    if (delta && !event.error) {
      if (typeof event.delta !== 'string') return;
      this.#frame.learn(data, event, delta);
      return this.#items.add(event, delta, event.delta);
    }
    if (type === 'error' || name === 'error') throw errorOfEvent(errorIn(event), this.#facts.context);
    if (event.error) throw errorOfEvent(event.error, this.#facts.context);
    this.#readStep(type, event);
  }

  /** True when the event matched the known frame and needs no parsing. */
  #readFramed(data: string): boolean {
    const text = this.#frame.textIn(data);
    const learned = this.#frame.learned;
    if (text === undefined || !learned) return false;
    if (!this.#repeats(data)) this.#items.add(learned.event, learned.kind, text);
    return true;
  }

  #readStep(type: string, event: WireEvent): void {
    const kind = TEXT_ENDS.get(type);
    const text = event.text ?? event.refusal;
    if (kind && typeof text === 'string') return this.#items.complete(event, kind, text);
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done': {
        const item = recordOf(event.item);
        if (item && isCall(item)) this.#release('content');
        if (item) this.#items.put(event, item, type.endsWith('done'));
        const step = item && this.#tellsInput && serviceToolStep(item);
        if (step) this.#tellsInput?.addStep(step);
        return;
      }
      case 'response.content_part.added':
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.added':
      case 'response.reasoning_summary_part.done':
        return this.#readPart(event);
      case 'response.function_call_arguments.delta':
        if (typeof event.delta === 'string') this.#items.addArguments(event, event.delta);
        return;
      case 'response.function_call_arguments.done':
        return this.#items.completeArguments(event);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
      case 'response.done':
        this.#finish(recordOf(event.response) ?? {}, type.slice('response.'.length));
    }
  }

  #readPart(event: WireEvent): void {
    const part = recordOf(event.part);
    const kind = part && textKindOf(part['type']);
    const text = part ? textOfPart(part) : '';
    if (kind && text !== '') this.#items.complete(event, kind, text);
  }

  /** Handles the last event: the complete response, and its ending. */
  #finish(response: Fields, ending: string): void {
    const { context, request } = this.#facts;
    const status = typeof response['status'] === 'string' ? response['status'] : ending;
    if (ending === 'failed' || status === 'failed') throw errorOfEvent(failureIn(response), context);
    if (ending === 'cancelled' || status === 'cancelled') {
      throw errorOfEvent({ message: 'the response was cancelled' }, context);
    }
    const cut = ending === 'incomplete' || status === 'incomplete';
    const items = finalItems(response['output'], this.#items.built());
    const content = replyBlocks(items, { cut, tools: request.tools });
    const usage = usageOf(response['usage']) ?? estimatedUsage(request, content);
    const logprobs = TokenLogprobs.for(request);
    for (const item of items) for (const part of partsOf(item, 'content')) logprobs?.addAll(part['logprobs']);
    this.#said = {
      content,
      usage,
      ...logprobs?.field(),
      stopReason: stopReasonOf(items, {
        content,
        incomplete: cut ? (recordOf(response['incomplete_details']) ?? {}) : undefined,
      }),
    };
    this.#response = response;
    this.#done = true;
    this.#sayTheRest(content);
  }

  /** Some servers end their streams only with the marker of chat completions. */
  #endWithoutResponse(): void {
    if (this.#items.areComplete) this.#finish({}, 'completed');
    this.#done = true;
  }

  /** Emits content that was never streamed. */
  #sayTheRest(content: Said['content']): void {
    for (const [says, type] of [
      ['thinking', 'thinking'],
      ['content', 'text'],
    ] as const) {
      let text = '';
      for (const block of content) if (block.type === type) text += block.text;
      const spoken = this.#spoken[says];
      if (text.startsWith(spoken)) this.#events.add(says, text.slice(spoken.length));
    }
  }

  #say(says: Says, text: string): void {
    if (text === '') return;
    if (says === 'content') this.#release('thinking');
    else if (says === 'commentary' || this.#held.length > 0) return void this.#held.push({ says, text });
    this.#speak(says, text);
  }

  #release(commentary: 'content' | 'thinking'): void {
    for (const { says, text } of this.#held) this.#speak(says === 'commentary' ? commentary : 'thinking', text);
    this.#held = [];
  }

  #speak(says: 'content' | 'thinking', text: string): void {
    this.#spoken[says] += text;
    this.#events.add(says, text);
  }

  /** True for the same event twice in a row. Only if events are numbered: otherwise it may be a second piece of the same text. */
  #repeats(data: string): boolean {
    const repeats = this.#isCounted && data === this.#previous;
    this.#previous = data;
    return repeats;
  }

  #count({ sequence_number: number }: WireEvent): void {
    if (typeof number !== 'number') return;
    this.#isCounted ||= number > this.#number;
    this.#number = number;
  }
}

function isOfResponse(name: string): boolean {
  return name === '' || name === 'message' || name.startsWith('response.');
}

/** The `error` of a failed response; codes about the request itself get the type that such errors have elsewhere. */
function failureIn(response: Fields): unknown {
  const error = recordOf(response['error']);
  if (!error) {
    const reason = recordOf(response['incomplete_details'])?.['reason'];
    return { message: `the response failed (${typeof reason === 'string' ? reason : 'no reason given'})` };
  }
  const isTyped = typeof error['type'] === 'string';
  return isTyped || !ABOUT_THE_REQUEST.test(String(error['code']))
    ? error
    : { ...error, type: 'invalid_request_error' };
}

/** An `error` event contains the error, or is the error itself; its own type then means nothing. */
function errorIn(event: WireEvent): unknown {
  if (event.error) return event.error;
  const { type, ...facts } = event;
  return type === 'error' ? facts : event;
}

function stopReasonOf(
  items: readonly Fields[],
  { content, incomplete }: Pick<Said, 'content'> & { readonly incomplete: Fields | undefined },
): AssistantMessage['stopReason'] {
  if (incomplete) return incomplete['reason'] === 'content_filter' ? 'refusal' : 'length';
  const isRefused = items.some((item) =>
    partsOf(item, 'content').some((part) => part['type'] === 'refusal' && textOfPart(part) !== ''),
  );
  if (isRefused) return 'refusal';
  return content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end';
}
