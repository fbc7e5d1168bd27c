import { PagedNumbers } from './paged-numbers.ts';
import { type Room, Rooms, sizeFor } from './rooms.ts';

const IMPACT_BITS = 10;
const HIGHEST_IMPACT = 2 ** IMPACT_BITS - 1;
/** The highest impact of each band: about that of a word in the description, in the name, in both. */
const [LOW, MIDDLE] = [140, 250];
const BANDS = [LOW, MIDDLE, HIGHEST_IMPACT];

/** More slots than these do not fit beside an impact into 31 bits. */
export const MOST_SLOTS: number = 2 ** (31 - IMPACT_BITS);

/** Some of the documents of a term: entries of the pool, from `start` to before `end`. Valid until the next change. */
export interface PostingList {
  readonly pool: Int32Array;
  readonly start: number;
  readonly end: number;
  /** No entry has a higher impact. */
  readonly highest: number;
}

/**
 * For each term the documents that have it, in lists by bands of impact: slots in rising order, each with its impact in ten bits. A
 * change moves nothing but the entries behind it in the lists of its terms.
 */
export class Postings {
  readonly #rooms = new Rooms();
  /** By term and band, as are lengths. A list has the least room for its length, or that of an earlier one. */
  readonly #addresses = new PagedNumbers();
  readonly #lengths = new PagedNumbers();
  readonly #sizes = new PagedNumbers();

  /** How many documents have the term. */
  countOf(term: number): number {
    return BANDS.reduce((sum, _, band) => sum + this.#lengths.get(term * BANDS.length + band), 0);
  }

  /** Those that are not empty. */
  listsOf(term: number): PostingList[] {
    return BANDS.flatMap((highest, band) => {
      const list = term * BANDS.length + band;
      const length = this.#lengths.get(list);
      if (length === 0) return [];
      const { pool, start } = this.#roomOf(list);
      return [{ pool, start, end: start + length, highest }];
    });
  }

  /** @param impact 0 to 1 */
  add(term: number, slot: number, impact: number): void {
    const whole = wholeOf(impact);
    const list = listOf(term, whole);
    const length = this.#lengths.get(list);
    if (length === this.#sizes.get(list)) this.#enlarge(list, length);
    const { pool, start } = this.#roomOf(list);
    const end = start + length;
    const isLast = length === 0 || slotOf(pool[end - 1]!) < slot; // nearly always
    const at = isLast ? end : placeOf(slot, pool, start, end);
    if (!isLast) pool.copyWithin(at + 1, at, end);
    pool[at] = slot * 2 ** IMPACT_BITS + whole;
    this.#lengths.set(list, length + 1);
  }

  /** Takes out what was added with that impact. */
  remove(term: number, slot: number, impact: number): void {
    const list = listOf(term, wholeOf(impact));
    const length = this.#lengths.get(list);
    if (length === 0) return;
    const { pool, start } = this.#roomOf(list);
    const end = start + length;
    const at = placeOf(slot, pool, start, end);
    if (at === end || slotOf(pool[at]!) !== slot) return;
    pool.copyWithin(at, at + 1, end);
    this.#lengths.set(list, length - 1);
    if (length > 1) return;
    this.#rooms.give(this.#addresses.get(list), this.#sizes.get(list));
    this.#sizes.set(list, 0);
  }

  #roomOf(list: number): Room {
    return this.#rooms.at(this.#addresses.get(list));
  }

  #enlarge(list: number, length: number): void {
    const size = sizeFor(length + 1);
    const address = this.#rooms.take(size);
    if (length > 0) {
      const { pool, start } = this.#roomOf(list);
      const room = this.#rooms.at(address);
      room.pool.set(pool.subarray(start, start + length), room.start);
      this.#rooms.give(this.#addresses.get(list), this.#sizes.get(list));
    }
    this.#addresses.set(list, address);
    this.#sizes.set(list, size);
  }
}

/** The slot of an entry of the pool. */
export function slotOf(posting: number): number {
  return posting >>> IMPACT_BITS;
}

/** The impact of an entry of the pool, a whole number from 1 to 1,023. */
export function impactOf(posting: number): number {
  return posting & HIGHEST_IMPACT;
}

/** Where the slot stands between start and end, or would stand. */
export function placeOf(slot: number, pool: Int32Array, start: number, end: number): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slotOf(pool[middle]!) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wholeOf(impact: number): number {
  return Math.max(1, Math.min(HIGHEST_IMPACT, Math.round(impact * HIGHEST_IMPACT)));
}

function listOf(term: number, whole: number): number {
  return term * BANDS.length + (whole <= LOW ? 0 : whole <= MIDDLE ? 1 : 2);
}
