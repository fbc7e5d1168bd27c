import { PagedNumbers } from './paged-numbers.ts';
import { SortedTerms } from './sorted-terms.ts';

/** A map of all terms would stall when it grows; one of a share does so for a moment. A power of two. */
const SHARES = 128;

/** The terms of an index by number, and in alphabetical order. A number is free again when its term is deleted. */
export class Vocabulary {
  readonly #ids = Array.from({ length: SHARES }, () => new Map<string, number>());
  readonly #terms: string[] = [];
  readonly #free: number[] = [];
  readonly #ages = new PagedNumbers();
  readonly #sorted = new SortedTerms((id) => this.termOf(id));

  idOf(term: string): number | undefined {
    return this.#shareOf(term).get(term);
  }

  termOf(id: number): string {
    return this.#terms[id]!; // numbers come from here
  }

  /** How often the number was given back: as long as that stays, it stands for the same term. */
  ageOf(id: number): number {
    return this.#ages.get(id);
  }

  add(term: string): number {
    const share = this.#shareOf(term);
    const known = share.get(term);
    if (known !== undefined) return known;
    const id = this.#free.pop() ?? this.#terms.length;
    this.#terms[id] = term;
    share.set(term, id);
    this.#sorted.add(id);
    return id;
  }

  delete(id: number): void {
    const term = this.termOf(id);
    this.#sorted.delete(id);
    this.#shareOf(term).delete(term);
    this.#terms[id] = '';
    this.#ages.set(id, this.ageOf(id) + 1);
    this.#free.push(id);
  }

  /** The terms that begin like this, in alphabetical order, the one that is no longer included. */
  beginningWith(start: string): number[] {
    return this.#sorted.beginningWith(start);
  }

  /** By its ends and its middle: terms that differ in a number at the end are many. */
  #shareOf(term: string): Map<string, number> {
    const { length } = term;
    const ends = 31 * term.charCodeAt(0) + 17 * term.charCodeAt(length - 1);
    const inner = length > 2 ? 7 * term.charCodeAt(length - 2) + term.charCodeAt(length >>> 1) : 0;
    return this.#ids[(ends + inner + length) & (SHARES - 1)]!; // below SHARES
  }
}
