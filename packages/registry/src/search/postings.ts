import { EntryLists, HIGHEST_VALUE, keyOf, placeOf, valueOf } from './entry-lists.ts';

const BLOCK_BITS = 4;
/** The slots of a block stand one after the other. */
export const IN_A_BLOCK: number = 1 << BLOCK_BITS;
/** What a term must be in to have bounds; a shorter list is run through instead. */
const FREQUENT = 512;

/** The documents that have a term. Valid until the next change. */
export interface TermPostings {
  /** Entries of slots in rising order, each with its impact: a whole number from 1 to 1,023. */
  readonly postings: Int32Array;
  /** Of a frequent term entries of the blocks of these slots, each with the highest impact in it. */
  readonly bounds: Int32Array | undefined;
}

/** For each term the documents that have it, by slot. */
export class Postings {
  /** Of each term two: its postings and its bounds. */
  readonly #lists = new EntryLists();

  /** How many documents have the term. */
  countOf(term: number): number {
    return this.#lists.lengthOf(2 * term);
  }

  /** At least one document must have the term. */
  of(term: number): TermPostings {
    return {
      postings: this.#lists.entriesOf(2 * term),
      bounds: this.#hasBounds(term) ? this.#lists.entriesOf(2 * term + 1) : undefined,
    };
  }

  /** @param impact 0 to 1 */
  add(term: number, slot: number, impact: number): void {
    const whole = wholeOf(impact);
    this.#lists.raise(2 * term, slot, whole); // it is not there yet
    if (this.#hasBounds(term)) this.#lists.raise(2 * term + 1, blockOf(slot), whole);
    else if (this.countOf(term) >= FREQUENT) this.#bound(term);
  }

  /** Takes out what was added. */
  remove(term: number, slot: number): void {
    this.#lists.delete(2 * term, slot);
    if (!this.#hasBounds(term)) return;
    if (this.countOf(term) < FREQUENT / 2) this.#lists.clear(2 * term + 1);
    else this.#lower(term, blockOf(slot));
  }

  #hasBounds(term: number): boolean {
    return this.#lists.lengthOf(2 * term + 1) > 0;
  }

  #bound(term: number): void {
    for (const posting of this.#lists.entriesOf(2 * term)) {
      this.#lists.raise(2 * term + 1, blockOf(keyOf(posting)), valueOf(posting));
    }
  }

  /** What is left of the block may have less. */
  #lower(term: number, block: number): void {
    this.#lists.delete(2 * term + 1, block);
    const postings = this.#lists.entriesOf(2 * term);
    for (let at = placeOf(IN_A_BLOCK * block, postings, 0, postings.length); at < postings.length; at++) {
      const posting = postings[at]!; // below the length
      if (blockOf(keyOf(posting)) !== block) return;
      this.#lists.raise(2 * term + 1, block, valueOf(posting));
    }
  }
}

/** The block that has the slot. */
export function blockOf(slot: number): number {
  return slot >>> BLOCK_BITS;
}

function wholeOf(impact: number): number {
  return Math.max(1, Math.min(HIGHEST_VALUE, Math.round(impact * HIGHEST_VALUE)));
}
