import { TokenTerms } from './token-terms.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What can be found. Its texts must not change while it is in the index. */
export interface Searchable {
  /** Decides between equal scores: the lower one comes first. */
  readonly place: number;
  readonly metadata: { readonly name: string; readonly description: string };
  readonly tags?: readonly string[];
  readonly category?: string;
}

interface Field {
  readonly weight: number;
  /** How much the length counts: less where texts are short. */
  readonly lengthShare: number;
  /** The usual number of words. A constant, not the mean of the index: what a document weighs then depends on itself alone. */
  readonly usualLength: number;
  /** Shorter texts count as this long, or a word in a short description would count more than one in a name. */
  readonly leastLength: number;
}

const NAME: Field = { weight: 1, lengthShare: 0.4, usualLength: 5, leastLength: 1 };
const DESCRIPTION: Field = { weight: 0.7, lengthShare: 0.75, usualLength: 50, leastLength: 10 };
const TAGS: Field = { weight: 0.6, lengthShare: 0.4, usualLength: 2, leastLength: 1 };
const CATEGORY: Field = { weight: 0.5, lengthShare: 0.4, usualLength: 3, leastLength: 1 };
const ALL = NAME.weight + DESCRIPTION.weight + TAGS.weight + CATEGORY.weight;
const SATURATION = 1.2;

/** Calculates what the terms of a document weigh in it, by BM25 of each field (Robertson and Zaragoza 2009), weighted and added up. */
export class TermWeigher {
  readonly #tokens: TokenTerms;
  /** By term: how often the field that is read has it. All are 0 between. */
  #times = new Int32Array(0);
  /** By term, of the document that is read. All are 0 between. */
  #weights = new Float64Array(0);
  /** The terms of the document that is read. */
  readonly #terms: number[] = [];

  /** Takes unknown terms into the vocabulary. */
  constructor(vocabulary: Vocabulary) {
    this.#tokens = new TokenTerms(vocabulary);
  }

  /** Tells of each term of the document what it weighs: from 0 to 1. */
  weigh(
    { metadata: { name, description }, tags, category }: Searchable,
    tell: (term: number, weight: number) => void,
  ): void {
    this.#add([name], NAME);
    this.#add([description], DESCRIPTION);
    if (tags && tags.length > 0) this.#add(tags, TAGS);
    if (category) this.#add([category], CATEGORY);
    for (const term of this.#terms) {
      const weight = this.#weights[term]!; // there is room for every term
      this.#weights[term] = 0;
      tell(term, weight);
    }
    this.#terms.length = 0;
  }

  #add(texts: readonly string[], { weight, lengthShare, usualLength, leastLength }: Field): void {
    const length = this.#tokens.read(texts);
    const { terms } = this.#tokens;
    const damping = SATURATION * (1 - lengthShare + (lengthShare * Math.max(leastLength, length)) / usualLength);
    this.#makeRoom(terms, length);
    const [times, weights] = [this.#times, this.#weights];
    for (let index = 0; index < length; index++) times[terms[index]!]!++; // there is room for every term
    for (let index = 0; index < length; index++) {
      const term = terms[index]!; // below the length
      const count = times[term]!;
      if (count === 0) continue; // seen before
      times[term] = 0;
      if (weights[term] === 0) this.#terms.push(term);
      weights[term]! += (weight / ALL) * (count / (count + damping));
    }
  }

  #makeRoom(terms: Int32Array, length: number): void {
    let highest = 0;
    for (let index = 0; index < length; index++) highest = Math.max(highest, terms[index]!); // below the length
    if (highest < this.#weights.length) return;
    const weights = new Float64Array(Math.max(1_024, 2 * highest));
    for (const term of this.#terms) weights[term] = this.#weights[term]!; // all others are 0
    this.#weights = weights;
    this.#times = new Int32Array(weights.length);
  }
}
