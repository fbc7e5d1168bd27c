import type { AgentEvent, AssistantMessage } from '@x/core';
import type { ProviderData } from '@x/core/internal';
import { replyPicture } from '../content/reply-pictures.ts';
import { DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { ModelError } from '../wire/model-error.ts';
import { cutReply, type ReplyFacts, replyMessage } from '../wire/reply-reader.ts';
import { withSources } from '../wire/sources.ts';
import { newCallId, toolInput } from '../wire/tool-input.ts';
import { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { type CallContext, callError } from './call-error.ts';
import { pictureIn } from './file-picture.ts';
import { type Ending, endingOf, stopReasonOf } from './finish-reason.ts';
import { tokenUsage } from './token-usage.ts';
import { warningEvent, warningEvents } from './warnings.ts';

type Part = Readonly<Record<string, unknown>>;
type Block = AssistantMessage['content'][number];
/** A block that is being written. */
interface OpenBlock {
  readonly kind: 'text' | 'reasoning' | 'tool-input';
  readonly id: string;
  /** Of a tool. */
  readonly name: string;
  text: string;
  /** The last that was said of it, as the AI SDK keeps it. */
  metadata: unknown;
}

/** A copy of the counts so far, which is sent back nowhere. */
const BOOKKEEPING = 'anthropic.message_start';

/** Reads the parts of a streamed reply. */
export class AiSdkReplyReader {
  readonly #facts: ReplyFacts & { readonly context: CallContext };
  /** The AI SDK's name of the provider. */
  readonly #source: string;
  readonly #events = new DeltaQueue();
  readonly #tellsInput: ToolInputTeller | undefined;
  /** Texts, thoughts and inputs in the order of their beginning; an input becomes a call when the call comes. */
  readonly #blocks: (OpenBlock | Block)[] = [];
  readonly #open = new Map<string, OpenBlock>();
  readonly #sources: unknown[] = [];
  #response: Part = {};
  #finish: { readonly ending: Ending; readonly usage: unknown } | undefined;

  constructor(facts: ReplyFacts & { readonly context: CallContext }, source: string) {
    this.#facts = facts;
    this.#source = source;
    this.#tellsInput = ToolInputTeller.for(facts.request, this.#events);
  }

  /** The events of one part. @throws ModelError */
  read(value: unknown): readonly AgentEvent[] {
    const part = recordOf(value) ?? {};
    const type = textIn(part['type']);
    const spoken = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(type);
    if (spoken) {
      this.#speak(spoken[1] as OpenBlock['kind'], spoken[2]!, part); // both are of the pattern
      return this.#events.take();
    }
    switch (type) {
      case 'stream-start':
        return warningEvents(part['warnings'], this.#facts.context);
      case 'tool-call':
        this.#call(part);
        return this.#events.take();
      case 'file':
        return this.#picture(part);
      case 'source':
        this.#sources.push(part);
        return [];
      case 'finish':
        this.#finish = { ending: endingOf(part['finishReason']), usage: part['usage'] };
        return [];
      case 'error':
        throw callError(part['error'], this.#facts.context, this.#facts.request.signal);
      case 'response-metadata':
        this.#response = part;
        return [];
      case 'raw':
      case 'ping':
        return [];
      default:
        return this.#leaveOut(type, part);
    }
  }

  /** @throws ModelError when the stream was cut: an incomplete reply is never returned */
  message(): AssistantMessage {
    const { request, context } = this.#facts;
    if (!this.#finish) throw cutReply(context);
    const { ending, usage } = this.#finish;
    const blocks = this.#blocks.flatMap((block) => ('kind' in block ? this.#closed(block) : [block]));
    const content = withSources(blocks, this.#sources);
    const calls = content.filter(({ type }) => type === 'tool_use').length;
    const stopReason = stopReasonOf(ending, calls, context);
    const tokens = tokenUsage(usage, this.#source) ?? estimatedUsage(request, content);
    const { id, modelId } = this.#response;
    return replyMessage(
      this.#facts,
      { content, usage: tokens, stopReason },
      { id, model: modelId, stopReason: ending.raw },
    );
  }

  #speak(kind: OpenBlock['kind'], what: string, part: Part): void {
    const id = textIn(part['id']);
    const key = `${kind} ${id}`;
    let block = what === 'start' ? undefined : this.#open.get(key);
    if (!block) {
      if (part['providerExecuted'] === true) throw this.#foreignCall(textIn(part['toolName']));
      block = { kind, id, name: textIn(part['toolName']), text: '', metadata: undefined };
      this.#open.set(key, block);
      this.#blocks.push(block);
      if (kind === 'tool-input') this.#tellsInput?.add(block, block, '');
    }
    block.metadata = part['providerMetadata'] ?? block.metadata;
    const delta = textIn(part['delta']);
    block.text += delta;
    if (kind === 'tool-input') this.#tellsInput?.add(block, block, delta);
    else this.#events.add(kind === 'text' ? 'content' : 'thinking', delta);
  }

  #call(part: Part): void {
    const id = textIn(part['toolCallId']) || newCallId();
    const name = textIn(part['toolName']);
    if (part['providerExecuted'] === true) throw this.#foreignCall(name);
    const begun = this.#open.get(`tool-input ${id}`);
    this.#open.delete(`tool-input ${id}`);
    const text = textIn(part['input']);
    if (!begun) {
      const whole = { id, name };
      this.#tellsInput?.add(whole, whole, '');
      this.#tellsInput?.add(whole, whole, text);
    }
    const data = this.#dataOf(part['providerMetadata'] ?? begun?.metadata);
    const call: Block = { type: 'tool_use', id, name, input: toolInput(text, false), ...data };
    const at = begun ? this.#blocks.indexOf(begun) : this.#blocks.length;
    this.#blocks[at] = call;
  }

  /** A picture; other files have no place in a reply. */
  #picture(part: Part): readonly AgentEvent[] {
    const picture = pictureIn(part);
    if (!picture) return this.#leaveOut('file', part);
    const block = replyPicture({ ...picture, ...this.#dataOf(part['providerMetadata']) });
    this.#blocks.push(block);
    if (block.type === 'text') this.#events.add('content', block.text);
    return this.#events.take();
  }

  /** Empty texts without data say nothing, and some services refuse them. An input whose call never came was cut. */
  #closed({ kind, id, name, text, metadata }: OpenBlock): Block[] {
    if (kind === 'tool-input') {
      return [{ type: 'tool_use', id, name, input: toolInput(text, true), ...this.#dataOf(metadata) }];
    }
    const data = this.#dataOf(metadata);
    if (text === '' && !data.providerData) return [];
    return [{ type: kind === 'text' ? 'text' : 'thinking', text, ...data }];
  }

  /** Plain JSON: it goes into the log. */
  #dataOf(metadata: unknown): { readonly providerData?: ProviderData } {
    if (metadata === undefined) return {};
    const data: unknown = JSON.parse(JSON.stringify(metadata));
    return { providerData: { provider: this.#facts.context.provider, data } };
  }

  /** Messages have no place for it, so the host is told. */
  #leaveOut(type: string, part: Part): readonly AgentEvent[] {
    if (type === 'tool-result' || type === 'tool-approval-request') throw this.#foreignCall(textIn(part['toolName']));
    if (part['kind'] === BOOKKEEPING) return [];
    const what = [type, textIn(part['mediaType']), textIn(part['kind'])].filter((fact) => fact !== '').join(' ');
    return [
      warningEvent(`${this.#facts.context.provider} has sent ${what}, which a message cannot hold; it is left out`),
    ];
  }

  #foreignCall(name: string): ModelError {
    const { provider } = this.#facts.context;
    const message = `${provider} has run a tool of its service (${name}), which sessions do not take yet; switch it off in the model`;
    return new ModelError(message, { provider, retryable: false });
  }
}
