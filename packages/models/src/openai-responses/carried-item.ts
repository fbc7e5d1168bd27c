import type { AssistantMessage } from '@x/core';
import type { ProviderData } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';

/** An item, or a part of one, as the service wrote it. */
export type Fields = Readonly<Record<string, unknown>>;
/** The lists of an item that hold text. */
export type PartList = 'content' | 'summary';
/**
 * What a block keeps of the item it comes from. The text itself stands in the block alone: `item` has its lists of parts empty, `part`
 * its text, and a call its arguments where they are those of the block.
 */
export interface Carried {
  /** The first block of an item has it, the others belong to the item before them. */
  readonly item?: Fields;
  readonly list?: PartList;
  readonly part?: Fields;
}

const PROVIDER = 'openai-compatible';

export function carried(facts: Carried): ProviderData {
  return { provider: PROVIDER, data: { api: 'responses', ...facts } };
}

/** What a block carries for this API; nothing when it comes from another provider, or from chat completions. */
export function carriedOf({ providerData }: AssistantMessage['content'][number]): Carried | undefined {
  if (providerData?.provider !== PROVIDER) return undefined;
  const data = recordOf(providerData.data);
  if (data?.['api'] !== 'responses') return undefined;
  const item = recordOf(data['item']);
  const part = recordOf(data['part']);
  const list = data['list'];
  return { ...(item ? { item } : {}), ...(part && (list === 'content' || list === 'summary') ? { part, list } : {}) };
}

/** Where a part keeps its text: a refusal has a name of its own for it. */
export function textKeyOf(part: Fields): 'text' | 'refusal' | undefined {
  if (typeof part['text'] === 'string') return 'text';
  return typeof part['refusal'] === 'string' ? 'refusal' : undefined;
}

/** The text of a part; empty when it has none. */
export function textOfPart(part: Fields): string {
  const key = textKeyOf(part);
  return key === undefined ? '' : String(part[key]);
}

/** The parts of one list of an item. */
export function partsOf(item: Fields, list: PartList): readonly Fields[] {
  return recordsOf(item[list]);
}

/** The objects of a list; none when it is no list. */
export function recordsOf(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) return [];
  return list.map(recordOf).filter((entry) => entry !== undefined);
}
