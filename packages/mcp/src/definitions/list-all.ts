/** One page of a list of the protocol. */
export type AskPage = (params: { readonly cursor?: string }) => Promise<Readonly<Record<string, unknown>>>;

/** Items of a list of pages. */
export interface Listed {
  readonly items: readonly unknown[];
  /** True when the server had more than was taken. */
  readonly isCut: boolean;
}

/** A server may say for ever that there is more. */
const MOST_PAGES = 200;

/** Reads the pages of a list, `most` items at most. */
export async function listAll(ask: AskPage, key: string, most: number): Promise<Listed> {
  const items: unknown[] = [];
  const seen = new Set<unknown>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const result = await ask(cursor === undefined ? {} : { cursor });
    const part = Object.hasOwn(result, key) ? result[key] : [];
    if (!Array.isArray(part)) throw new TypeError(`${key} is no list`);
    for (const item of part) items.push(item);
    if (items.length > most) return { items: items.slice(0, most), isCut: true };
    const { nextCursor } = result;
    if (typeof nextCursor !== 'string' || nextCursor === '') return { items, isCut: false }; // empty: of servers that write every field
    if (seen.has(nextCursor)) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return { items, isCut: true };
}
