import { Rooms, sizeFor } from './rooms.ts';

const VALUE_BITS = 10;
/** Values are whole numbers from 1 to this. */
export const HIGHEST_VALUE: number = (1 << VALUE_BITS) - 1;
/** More keys than these do not fit beside a value into 31 bits. */
export const MOST_KEYS: number = 1 << (31 - VALUE_BITS);

/** What is known of a list: where its room is, how many entries it has, and for how many there is room. */
const [ADDRESS, LENGTH, SIZE] = [0, 1, 2];
/** One more than needed: a power of two. */
const FACTS = 4;
const PAGE_BITS = 10;
const LISTS_OF_A_PAGE = 1 << PAGE_BITS;

/** Lists by number, each of entries of a key and a value. A change moves nothing but the entries behind it in its list. */
export class EntryLists {
  readonly #rooms = new Rooms();
  /** The facts, in pages: to have more lists copies none. A list has the least room for its length, or for that of an earlier time. */
  readonly #pages: Int32Array[] = [];

  lengthOf(list: number): number {
    return this.#pages[list >>> PAGE_BITS]?.[factsAt(list) + LENGTH] ?? 0;
  }

  /** The entries in rising order of their keys, valid until the next change. The list must have some. */
  entriesOf(list: number): Int32Array {
    const page = this.#pageOf(list);
    const facts = factsAt(list);
    const { pool, start } = this.#rooms.at(page[facts + ADDRESS]!);
    return pool.subarray(start, start + page[facts + LENGTH]!);
  }

  /** Gives the key at least that value. */
  raise(list: number, key: number, value: number): void {
    const page = this.#pageOf(list);
    const facts = factsAt(list);
    const length = page[facts + LENGTH]!;
    const entry = (key << VALUE_BITS) | value;
    if (length === 0) {
      this.#insert(page, facts, 0, entry);
      return;
    }
    const { pool, start } = this.#rooms.at(page[facts + ADDRESS]!);
    const last = pool[start + length - 1]!; // a list lies inside the pool
    let at = start + length;
    if (keyOf(last) === key) at--;
    else if (keyOf(last) > key) at = placeOf(key, pool, start, at); // seldom
    if (at === start + length || keyOf(pool[at]!) !== key) this.#insert(page, facts, at - start, entry);
    else if (pool[at]! < entry) pool[at] = entry;
  }

  /** Takes the key out; ignores one that is not there. */
  delete(list: number, key: number): void {
    const page = this.#pageOf(list);
    const facts = factsAt(list);
    const length = page[facts + LENGTH]!;
    if (length === 0) return;
    const { pool, start } = this.#rooms.at(page[facts + ADDRESS]!);
    const end = start + length;
    const at = placeOf(key, pool, start, end);
    if (at === end || keyOf(pool[at]!) !== key) return;
    if (length === 1) {
      this.clear(list);
      return;
    }
    pool.copyWithin(at, at + 1, end);
    page[facts + LENGTH] = length - 1;
  }

  /** Takes all keys out. */
  clear(list: number): void {
    const page = this.#pageOf(list);
    const facts = factsAt(list);
    if (page[facts + SIZE]! > 0) this.#rooms.give(page[facts + ADDRESS]!, page[facts + SIZE]!);
    page.fill(0, facts, facts + FACTS);
  }

  #pageOf(list: number): Int32Array {
    const page = list >>> PAGE_BITS;
    while (this.#pages.length <= page) this.#pages.push(new Int32Array(FACTS * LISTS_OF_A_PAGE));
    return this.#pages[page]!; // just made
  }

  #insert(page: Int32Array, facts: number, at: number, entry: number): void {
    const length = page[facts + LENGTH]!;
    if (length === page[facts + SIZE]!) this.#enlarge(page, facts);
    const { pool, start } = this.#rooms.at(page[facts + ADDRESS]!);
    if (at < length) pool.copyWithin(start + at + 1, start + at, start + length);
    pool[start + at] = entry;
    page[facts + LENGTH] = length + 1;
  }

  #enlarge(page: Int32Array, facts: number): void {
    const length = page[facts + LENGTH]!;
    const size = sizeFor(length + 1);
    const address = this.#rooms.take(size);
    if (length > 0) {
      const { pool, start } = this.#rooms.at(page[facts + ADDRESS]!);
      const room = this.#rooms.at(address);
      room.pool.set(pool.subarray(start, start + length), room.start);
      this.#rooms.give(page[facts + ADDRESS]!, page[facts + SIZE]!);
    }
    page[facts + ADDRESS] = address;
    page[facts + SIZE] = size;
  }
}

/** The key of an entry. */
export function keyOf(entry: number): number {
  return entry >>> VALUE_BITS;
}

/** The value of an entry. */
export function valueOf(entry: number): number {
  return entry & HIGHEST_VALUE;
}

/** Where the key stands among the entries between start and end, or would stand. */
export function placeOf(key: number, entries: Int32Array, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(entries[middle]!) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the facts of a list begin in its page. */
function factsAt(list: number): number {
  return FACTS * (list & (LISTS_OF_A_PAGE - 1));
}
