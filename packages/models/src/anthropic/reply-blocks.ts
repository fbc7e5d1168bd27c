import type { AssistantMessage } from '@x/core';
import type { ServiceToolStep } from '@x/core/internal';
import { recordOf, textIn } from '../wire/json-values.ts';
import { sourcesIn } from '../wire/sources.ts';
import { checkedInput, isTooDeep, jsonText, newCallId, toolInput, withoutDeepFields } from '../wire/tool-input.ts';
import { PROVIDER, type ThinkingData } from './provider-data.ts';
import { serviceToolStep } from './service-tools.ts';

type Block = AssistantMessage['content'][number];
type Fields = Readonly<Record<string, unknown>>;

/** A block of a reply that is still being received. */
export interface ReplyBlock {
  /** `opaque`: readable by the service alone, such as redacted thinking, its own tools and their results. */
  readonly kind: 'text' | 'thinking' | 'call' | 'opaque';
  /** The service's index; not always from 0. */
  readonly index: unknown;
  /** The block as it was announced. */
  start: Fields;
  /** The text or thinking so far. */
  text: string;
  /** The input of a call, once a piece of it has come. */
  json: string | undefined;
  signature: string | undefined;
  readonly citations: unknown[];
  /** A piece could not be kept, so that the block must not be sent back. */
  incomplete: boolean;
  ended: boolean;
}

const KINDS: Readonly<Record<string, ReplyBlock['kind']>> = { text: 'text', thinking: 'thinking', tool_use: 'call' };
/** Number of blocks searched for one that continues: more are never open at once. */
const LOOK_BACK = 1_000;
const CALL_FIELDS = new Set(['type', 'id', 'name', 'input']);

/** The blocks of one reply, in the order of the service. */
export class ReplyBlocks {
  readonly #blocks: ReplyBlock[] = [];

  get size(): number {
    return this.#blocks.length;
  }

  add(index: unknown, announced: unknown): ReplyBlock {
    const start = recordOf(announced) ?? {};
    const type = textIn(start['type']);
    const kind = Object.hasOwn(KINDS, type) ? KINDS[type]! : 'opaque'; // an own key
    const block: ReplyBlock = {
      kind,
      index,
      start,
      text: textIn(start[kind]),
      json: undefined,
      signature: typeof start['signature'] === 'string' ? start['signature'] : undefined,
      citations: Array.isArray(start['citations']) ? [...start['citations']] : [],
      incomplete: false,
      ended: false,
    };
    this.#blocks.push(block);
    return block;
  }

  /**
   * The block with this index, if it `fits`. Like the official client, takes the index for the position in the reply; if that finds
   * nothing, or a block that has ended, the newest announced with it. Without an index: the newest.
   */
  find(index: unknown, fits: (block: ReplyBlock) => boolean = () => true): ReplyBlock | undefined {
    if (index === undefined || index === null) return this.#newest(fits);
    const at = typeof index === 'number' ? this.#blocks[index] : undefined;
    const positioned = at && fits(at) ? at : undefined;
    if (positioned && !positioned.ended) return positioned;
    return this.#newest((block) => block.index === index && fits(block)) ?? positioned;
  }

  #newest(fits: (block: ReplyBlock) => boolean): ReplyBlock | undefined {
    const end = Math.max(0, this.#blocks.length - LOOK_BACK);
    for (let at = this.#blocks.length - 1; at >= end; at--) {
      const block = this.#blocks[at]!; // 0 <= at < length
      if (fits(block)) return block;
    }
    return undefined;
  }

  /** Adds a piece of a call's JSON, or all of it as a value; returns what was added, and to which block. */
  addInput(index: unknown, piece: unknown): { readonly block: ReplyBlock; readonly text: string } | undefined {
    const block = this.find(index, ({ start }) => textIn(start['type']).endsWith('tool_use'));
    if (!block || piece === undefined || piece === null) return undefined;
    const text = typeof piece === 'string' ? piece : jsonText(piece);
    block.json = (block.json ?? '') + text;
    return { block, text };
  }

  sign(index: unknown, signature: unknown): void {
    const block = this.find(index, ({ kind }) => kind === 'thinking');
    // the last one counts, as for the official client; an empty one is ignored
    if (block && typeof signature === 'string') block.signature = signature || (block.signature ?? '');
  }

  cite(index: unknown, citation: unknown): void {
    if (recordOf(citation)) this.find(index, ({ kind }) => kind === 'text')?.citations.push(citation);
  }

  /** Adds the values that an opaque block was announced without. */
  complete(index: unknown, { type: _delta, ...values }: Fields): void {
    const block = this.find(index, ({ kind }) => kind === 'opaque');
    if (block) block.start = { ...block.start, ...values };
  }

  /** The finished content; `cut` means that the reply was ended early, so that its last block may be incomplete. */
  content({ cut }: { cut: boolean }): Block[] {
    const last = this.#blocks.at(-1);
    const ids = new Set<string>();
    return this.#blocks.flatMap((block) => finished(block, cut && block === last, ids));
  }
}

function finished(block: ReplyBlock, cut: boolean, ids: Set<string>): Block[] {
  switch (block.kind) {
    case 'text':
      return textBlock(block);
    case 'thinking':
      return thinkingBlock(block, cut);
    case 'call':
      return [callBlock(block, cut, ids)];
    case 'opaque':
      return opaqueBlock(block);
  }
}

function textBlock({ text, citations }: ReplyBlock): Block[] {
  if (text === '') return [];
  const isCited = citations.length > 0 && !isTooDeep(citations);
  return [{ type: 'text', text, ...sourcesIn(citations), ...(isCited ? dataOf({ citations }) : {}) }];
}

/** An incomplete thought has no signature, and the service does not accept it back. */
function thinkingBlock({ text, signature }: ReplyBlock, cut: boolean): Block[] {
  if (text === '' && !signature) return [];
  const data: ThinkingData = signature === undefined ? {} : { signature };
  return [{ type: 'thinking', text, ...(cut && !signature ? {} : dataOf(data)) }];
}

function callBlock({ start, json }: ReplyBlock, cut: boolean, ids: Set<string>): Block {
  const given = textIn(start['id']);
  const id = given === '' || ids.has(given) ? newCallId() : given;
  ids.add(id);
  const more = Object.entries(withoutDeepFields(start)).filter(
    ([name, value]) => !CALL_FIELDS.has(name) && isWorthKeeping(value),
  );
  return {
    type: 'tool_use',
    id,
    name: textIn(start['name']),
    input: inputOf(start['input'], json, cut),
    ...(more.length > 0 ? dataOf(Object.fromEntries(more)) : {}),
  };
}

/** The step that an ended block is; undefined for a block of no tool of the service. */
export function stepOf(block: ReplyBlock): ServiceToolStep | undefined {
  const whole = opaqueFields(block);
  return whole && serviceToolStep(whole);
}

/** A block for the service alone, unchanged; incomplete ones are left out. A call that ended without a piece of input has an empty one. */
function opaqueFields({ start, json, incomplete, ended }: ReplyBlock): Fields | undefined {
  if (incomplete || textIn(start['type']) === '') return undefined;
  const input = json === undefined ? undefined : toolInput(json, !ended);
  if (typeof input === 'string' || isTooDeep(start)) return undefined;
  return input === undefined ? start : { ...start, input };
}

function opaqueBlock(opaque: ReplyBlock): Block[] {
  const block = opaqueFields(opaque);
  if (!block) return [];
  const serviceTool = serviceToolStep(block);
  return [{ type: 'thinking', text: '', ...(serviceTool ? { serviceTool } : {}), ...dataOf({ block }) }];
}

/** Most services send an empty object and then pieces of JSON, some the whole input at once, as an object or as JSON text. */
function inputOf(given: unknown, json: string | undefined, cut: boolean): unknown {
  if (json !== undefined && json.trim() !== '') return toolInput(json, cut);
  if (typeof given === 'string') return toolInput(given, cut);
  const isEmpty = typeof given !== 'object' || given === null || Object.keys(given).length === 0;
  return isEmpty ? toolInput('', cut) : checkedInput(given);
}

/** `direct`, a call by the model itself, is the default and need not be kept. */
function isWorthKeeping(value: unknown): boolean {
  return value !== null && value !== undefined && recordOf(value)?.['type'] !== 'direct';
}

function dataOf(data: unknown): { providerData: NonNullable<Block['providerData']> } {
  return { providerData: { provider: PROVIDER, data } };
}
