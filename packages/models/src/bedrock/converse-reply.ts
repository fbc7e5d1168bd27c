import type { AssistantMessage, TokenUsage } from '@x/core';
import { present } from '@x/core/internal';
import { type DeltaEvent, DeltaQueue } from '../wire/delta-queue.ts';
import { estimatedUsage } from '../wire/estimated-usage.ts';
import { withAnswer } from '../wire/final-answer.ts';
import type { FinalTool } from '../wire/final-tool.ts';
import { HeldDeltas } from '../wire/held-deltas.ts';
import { countOf, recordOf, textIn } from '../wire/json-values.ts';
import { errorOfEvent } from '../wire/model-error.ts';
import { cutReply, type ReplyFacts, replyMessage } from '../wire/reply-reader.ts';
import { newCallId, toolInput } from '../wire/tool-input.ts';
import { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { BEDROCK } from './bedrock-options.ts';
import type { EventReader, WireEvent } from './event-reader.ts';

type Block = AssistantMessage['content'][number];
/** A block that is being received. */
interface OpenBlock {
  kind: 'text' | 'thinking' | 'call';
  readonly id: string;
  readonly name: string;
  text: string;
  signature: string;
  redacted: Uint8Array | undefined;
}

const STOPS: Readonly<Record<string, AssistantMessage['stopReason']>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

/** Reads the events of one streamed reply of Converse (docs.aws.amazon.com, "ConverseStream"). */
export class ConverseReplyReader implements EventReader {
  readonly #facts: ReplyFacts;
  readonly #final: FinalTool | undefined;
  readonly #events = new DeltaQueue();
  readonly #tells: ToolInputTeller | undefined;
  /** Holds deltas back when a tool gives the answer. */
  readonly #held: HeldDeltas | undefined;
  /** In the order of the service; its indices are the keys. */
  readonly #blocks = new Map<number, OpenBlock>();
  #stopReason = '';
  #usage: unknown;
  #content: Block[] | undefined;

  constructor(facts: ReplyFacts, final: FinalTool | undefined) {
    this.#facts = facts;
    this.#final = final;
    this.#tells = ToolInputTeller.for(facts.request, this.#events, final);
    this.#held = final && new HeldDeltas(this.#events);
  }

  push(event: WireEvent): readonly DeltaEvent[] {
    const [kind = ''] = Object.keys(event);
    const fact = recordOf(event[kind]) ?? {};
    if (kind === 'contentBlockStart') this.#start(fact);
    else if (kind === 'contentBlockDelta') this.#add(fact);
    else if (kind === 'messageStop') this.#stop(textIn(fact['stopReason']));
    else if (kind === 'metadata') this.#usage = fact['usage'];
    return this.#events.take();
  }

  end(): readonly DeltaEvent[] {
    return this.#events.take();
  }

  message(): AssistantMessage {
    const { context, request } = this.#facts;
    if (this.#stopReason === '') throw cutReply(context);
    const content = this.#settled();
    const calls = content.some(({ type }) => type === 'tool_use');
    const stopReason = STOPS[this.#stopReason] ?? (calls ? 'tool_use' : 'end');
    const usage = usageOf(this.#usage) ?? estimatedUsage(request, content);
    return replyMessage(this.#facts, { content, usage, stopReason }, { stopReason: this.#stopReason });
  }

  #start({ contentBlockIndex, start }: WireEvent): void {
    const call = recordOf(recordOf(start)?.['toolUse']);
    if (!call) return; // text and thoughts begin with their first piece
    const block = this.#open(contentBlockIndex, 'call', call);
    this.#tells?.add(block, block, '');
  }

  #add({ contentBlockIndex, delta }: WireEvent): void {
    const said = recordOf(delta) ?? {};
    const thought = recordOf(said['reasoningContent']);
    const piece = recordOf(said['toolUse'])?.['input'];
    if (typeof said['text'] === 'string') {
      this.#open(contentBlockIndex, 'text').text += said['text'];
      this.#tell('content', said['text']);
    } else if (thought) {
      const block = this.#open(contentBlockIndex, 'thinking');
      block.text += textIn(thought['text']);
      block.signature += textIn(thought['signature']);
      if (thought['redactedContent'] instanceof Uint8Array) block.redacted = thought['redactedContent'];
      this.#tell('thinking', textIn(thought['text']));
    } else if (typeof piece === 'string') {
      const block = this.#open(contentBlockIndex, 'call');
      block.text += piece;
      this.#tells?.add(block, block, piece);
    }
  }

  #tell(type: 'content' | 'thinking', text: string): void {
    (this.#held ?? this.#events).add(type, text);
  }

  #open(index: unknown, kind: OpenBlock['kind'], { toolUseId, name }: WireEvent = {}): OpenBlock {
    const at = Number(index ?? this.#blocks.size);
    let block = this.#blocks.get(at);
    if (!block) {
      const id = textIn(toolUseId) || newCallId();
      block = { kind, id, name: textIn(name), text: '', signature: '', redacted: undefined };
      this.#blocks.set(at, block);
    }
    return block;
  }

  /** @throws ModelError for a reply that the service gives up */
  #stop(reason: string): void {
    this.#stopReason = reason || 'end_turn';
    if (!reason.startsWith('malformed')) return this.#held?.tell(this.#settled());
    throw errorOfEvent({ message: `stopReason ${reason}`, code: '502' }, this.#facts.context);
  }

  #settled(): Block[] {
    if (this.#content) return this.#content;
    const isCut = STOPS[this.#stopReason] !== undefined;
    const last = [...this.#blocks.values()].at(-1);
    const plain = [...this.#blocks.values()].flatMap((block) => finished(block, isCut && block === last));
    return (this.#content = this.#final ? [...withAnswer(plain, this.#final)] : plain);
  }
}

function finished({ kind, id, name, text, signature, redacted }: OpenBlock, isCut: boolean): Block[] {
  if (kind === 'call') return [{ type: 'tool_use', id, name, input: toolInput(text, isCut) }];
  if (kind === 'text') return text === '' ? [] : [{ type: 'text', text }];
  const data = redacted
    ? { redacted: Buffer.from(redacted).toString('base64') }
    : signature === ''
      ? undefined
      : { signature };
  if (text === '' && !data) return [];
  return [{ type: 'thinking', text, ...(data ? { providerData: { provider: BEDROCK, data } } : {}) }];
}

/** Undefined when nothing was reported. The service counts tokens of its cache apart. */
function usageOf(reported: unknown): TokenUsage | undefined {
  const usage = recordOf(reported);
  const input = countOf(usage, 'inputTokens');
  if (input === undefined) return undefined;
  const outputTokens = countOf(usage, 'outputTokens') ?? 0;
  const cacheReadTokens = countOf(usage, 'cacheReadInputTokens');
  const cacheWriteTokens = countOf(usage, 'cacheWriteInputTokens');
  const inputTokens = input + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...present({ cacheReadTokens, cacheWriteTokens }),
  };
}
