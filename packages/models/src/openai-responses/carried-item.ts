import type { AssistantMessage } from '@x/core';
import type { ProviderData } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';

/** An item, or a part of one, as received. */
export type Fields = Readonly<Record<string, unknown>>;
/** The lists of an item that hold text. */
export type PartList = 'content' | 'summary';
/**
 * Data of the item that a block comes from. The block alone holds the text: in `item` the lists of parts are empty, in `part` the text, and
 * in a call the arguments when they equal the block's input.
 */
export interface Carried {
  /** Set on the first block of an item; the others belong to the item before them. */
  readonly item?: Fields;
  readonly list?: PartList;
  readonly part?: Fields;
  /** The block is the picture that the item before it has made. */
  readonly isResult?: true;
}

const PROVIDER = 'openai-compatible';

export function carried(facts: Carried): ProviderData {
  return { provider: PROVIDER, data: { api: 'responses', ...facts } };
}

/** Provider data for this API; undefined when it comes from another provider, or from chat completions. */
export function carriedOf({ providerData }: AssistantMessage['content'][number]): Carried | undefined {
  if (providerData?.provider !== PROVIDER) return undefined;
  const data = recordOf(providerData.data);
  if (data?.['api'] !== 'responses') return undefined;
  const item = recordOf(data['item']);
  const part = recordOf(data['part']);
  const list = data['list'];
  if (data['isResult'] === true) return { isResult: true };
  return { ...(item ? { item } : {}), ...(part && (list === 'content' || list === 'summary') ? { part, list } : {}) };
}

/** The field of a part's text: a refusal has its own. */
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

/** The objects of a list; empty when it is not a list. */
export function recordsOf(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) return [];
  return list.map(recordOf).filter((entry) => entry !== undefined);
}
