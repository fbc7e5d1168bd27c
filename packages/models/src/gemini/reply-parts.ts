import type { AssistantMessage, ImageBlock, TextBlock, ThinkingBlock, ToolUseBlock } from '@x/core';
import { replyPicture } from '../content/reply-pictures.ts';
import type { DeltaQueue } from '../wire/delta-queue.ts';
import { type FinalCall, withAnswer } from '../wire/final-answer.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { type ErrorContext, ModelError } from '../wire/model-error.ts';
import { cutReply } from '../wire/reply-reader.ts';
import { checkedInput, isTooDeep, newCallId, toolInput } from '../wire/tool-input.ts';
import type { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { partData, pictureIn, type WirePart } from './part-data.ts';
import { serviceToolStep } from './service-tools.ts';
import { type Growing, StreamedCalls } from './streamed-calls.ts';

type Block = AssistantMessage['content'][number];
interface ReplyPartsOptions {
  readonly events: DeltaQueue;
  readonly context: ErrorContext;
  readonly finalTool: FinalCall | undefined;
  readonly tellsInput: ToolInputTeller | undefined;
}

/**
 * The parts of a reply as blocks, in order. Continued text is one block; a part with a signature is a block of its own, because it is sent
 * back as it was, neither joined with another nor moved (ai.google.dev, Thought Signatures).
 */
export class ReplyParts {
  readonly #events: DeltaQueue;
  readonly #context: ErrorContext;
  readonly #finalTool: FinalCall | undefined;
  readonly #tellsInput: ToolInputTeller | undefined;
  readonly #blocks: Block[] = [];
  readonly #streamed = new StreamedCalls();
  readonly #ids = new Set<string>();
  /** The last block, as long as it may continue. */
  #open: Growing<TextBlock | ThinkingBlock> | undefined;
  #settled: readonly Block[] | undefined;

  constructor({ events, context, finalTool, tellsInput }: ReplyPartsOptions) {
    this.#tellsInput = tellsInput;
    this.#events = events;
    this.#context = context;
    this.#finalTool = finalTool;
  }

  addText(text: string, type: 'text' | 'thinking' = 'text'): void {
    if (text === '') return;
    this.#say(type, text);
    if (this.#open?.type === type) this.#open.text += text;
    else this.#push((this.#open = { type, text }));
  }

  /** Adds one part of a chunk. @throws ModelError */
  add(given: unknown): void {
    const part = recordOf(given);
    if (!part || Array.isArray(part)) return;
    const { text, thoughtSignature: signature } = part;
    const signed = typeof signature === 'string' && signature !== '' ? signature : undefined;
    const call = recordOf(part['functionCall']);
    if (call) return this.#addCall(call, signed);
    const picture = part['thought'] === true ? undefined : pictureIn(part);
    if (picture)
      return this.#addPicture({ ...picture, ...partData(signed === undefined ? {} : { signature: signed }) });
    if (typeof text !== 'string') return this.#addOpaque(part, signed);
    const type = part['thought'] === true ? 'thinking' : 'text';
    if (signed === undefined) return this.addText(text, type);
    if (text === '') return this.#addOpaque(part, signed);
    this.#say(type, text);
    this.#close({ type, text, ...partData({ signature: signed }) });
  }

  /** All blocks; `cut` means that the reply was ended early. @throws ModelError for an incomplete answer that was not cut */
  blocks({ cut }: { readonly cut: boolean }): readonly Block[] {
    if (this.#settled) return this.#settled;
    this.#streamed.end();
    if (!cut && this.#blocks.some((block) => this.#isHalfAnswer(block))) throw cutReply(this.#context);
    this.#settled = this.#finalTool ? withAnswer(this.#blocks, this.#finalTool) : this.#blocks;
    if (this.#finalTool) this.#tellHeld(this.#settled);
    return this.#settled;
  }

  /** True for incomplete JSON text of the final tool, which might look complete and become the answer. */
  #isHalfAnswer(block: Block): boolean {
    if (block.type !== 'tool_use' || block.name !== this.#finalTool?.name) return false;
    return typeof block.input === 'string' && this.#streamed.has(block);
  }

  /** Text may turn out not to be the answer: with a final tool it is held back until the end. */
  #say(type: 'text' | 'thinking', text: string): void {
    if (type === 'thinking') this.#events.add(type, text);
    else if (!this.#finalTool) this.#events.add('content', text);
  }

  #tellHeld(settled: readonly Block[]): void {
    const isAnswered = settled !== this.#blocks;
    for (const block of this.#blocks) {
      if (isAnswered && block.type === 'text') this.#events.add('thinking', block.text);
    }
    for (const block of settled) if (block.type === 'text') this.#events.add('content', block.text);
  }

  #addPicture(picture: ImageBlock): void {
    const block = replyPicture(picture);
    if (block.type === 'text') this.addText(block.text);
    else this.#close(block);
  }

  /** Adds a part that only the service can read, kept to be sent back. One with nothing but a signature is an empty text. */
  #addOpaque(part: WirePart, signature: string | undefined): void {
    const isBare = !Object.values(part).some((value) => recordOf(value));
    if ((isBare && signature === undefined) || isTooDeep(part)) return;
    const kept = isBare ? { ...part, text: '' } : part;
    const step = serviceToolStep(part);
    this.#close({ type: 'thinking', text: '', ...(step ? { serviceTool: step } : {}), ...partData({ part: kept }) });
    if (step) this.#tellsInput?.addStep(step);
  }

  #addCall(call: WirePart, signature: string | undefined): void {
    const id = textIn(call['id']);
    const name = textIn(call['name']);
    const known = this.#streamed.find(id, name, call);
    if (!known && name === '') return this.#refuseUnnamed(call);
    if (!known && call['willContinue'] !== true && !Array.isArray(call['partialArgs'])) {
      return this.#addWholeCall(call, signature);
    }
    const streamed = known ?? this.#streamed.open(id, this.#newStreamedBlock(id, name));
    if (signature !== undefined) streamed.block.providerData ??= partData({ signature }).providerData;
    this.#streamed.add(streamed, call);
    if (!streamed.isOpen) this.#tell(streamed.block);
  }

  #addWholeCall({ id, name, args }: WirePart, signature: string | undefined): void {
    const input = typeof args === 'string' ? toolInput(args, false) : checkedInput(args ?? {});
    const data = signature === undefined ? {} : partData({ signature });
    const block: ToolUseBlock = { type: 'tool_use', id: this.#newId(textIn(id)), name: textIn(name), input, ...data };
    this.#close(block);
    this.#tell(block);
  }

  /** Arguments come as values, each with its path: their JSON is there when they are complete. */
  #tell(block: ToolUseBlock): void {
    this.#tellsInput?.add(block, block, typeof block.input === 'string' ? block.input : JSON.stringify(block.input));
  }

  #newStreamedBlock(id: string, name: string): ToolUseBlock {
    const block: ToolUseBlock = { type: 'tool_use', id: this.#newId(id), name, input: {} };
    this.#close(block);
    return block;
  }

  /** Refuses a call without a name, which could neither be run nor sent back; an empty one is ignored. */
  #refuseUnnamed({ args, partialArgs }: WirePart): void {
    if (!args && !partialArgs) return;
    const { provider } = this.#context;
    throw new ModelError(`${provider} sent a call without a name`, { provider, retryable: true });
  }

  /** The id of the service, unless another call of this reply has it. */
  #newId(given: string): string {
    const id = given === '' || this.#ids.has(given) ? newCallId() : given;
    this.#ids.add(id);
    return id;
  }

  #push(block: Block): void {
    this.#blocks.push(block);
  }

  /** Adds a block that does not continue. */
  #close(block: Block): void {
    this.#open = undefined;
    this.#push(block);
  }
}
