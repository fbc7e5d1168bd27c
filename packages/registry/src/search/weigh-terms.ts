import { stem } from './stem.ts';
import { wordsOf } from './words.ts';

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
  /** Stems are taken from here: texts repeat their words. */
  #stems = new Map<string, string>();
  /** Those that were found before them: what is met often is kept. */
  #earlier = new Map<string, string>();

  /** From 0 to 1, by term. */
  weigh({ metadata: { name, description }, tags, category }: Searchable): Map<string, number> {
    const weights = new Map<string, number>();
    this.#add(weights, name, NAME);
    this.#add(weights, description, DESCRIPTION);
    if (tags && tags.length > 0) this.#add(weights, tags.join(' '), TAGS);
    if (category) this.#add(weights, category, CATEGORY);
    return weights;
  }

  #add(weights: Map<string, number>, text: string, { weight, lengthShare, usualLength, leastLength }: Field): void {
    const words = wordsOf(text);
    const damping = SATURATION * (1 - lengthShare + (lengthShare * Math.max(leastLength, words.length)) / usualLength);
    const times = new Map<string, number>();
    for (const word of words) {
      const term = this.#stemOf(word);
      times.set(term, (times.get(term) ?? 0) + 1);
    }
    for (const [term, count] of times) {
      const more = (weight / ALL) * (count / (count + damping));
      weights.set(term, (weights.get(term) ?? 0) + more);
    }
  }

  #stemOf(word: string): string {
    const known = this.#stems.get(word);
    if (known !== undefined) return known;
    const found = this.#earlier.get(word) ?? stem(word);
    if (this.#stems.size >= MOST_STEMS) {
      this.#earlier = this.#stems;
      this.#stems = new Map();
    }
    this.#stems.set(word, found);
    return found;
  }
}

/** A map of more stalls when it grows. */
const MOST_STEMS = 4_000;
