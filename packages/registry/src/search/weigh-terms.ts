import { stem } from './stem.ts';
import { tokensOf, wordsOf } from './words.ts';

/** A document of the index. Its texts must not change while it is in the index. */
export interface Searchable {
  /** Orders equal scores: the lower one comes first. */
  readonly place: number;
  readonly metadata: {
    readonly name: string;
    readonly description: string;
    readonly parameters?: readonly { readonly name: string; readonly description: string }[];
  };
  readonly tags?: readonly string[];
  readonly category?: string;
}

interface Field {
  readonly weight: number;
  /** Influence of the length: smaller for fields with short texts. */
  readonly lengthShare: number;
  /** The usual number of words. A constant, not the mean of the index: so a document's weights depend on itself alone. */
  readonly usualLength: number;
  /** Shorter texts count as this long, or a word in a short description would count more than one in a name. */
  readonly leastLength: number;
  readonly textsOf: (document: Searchable) => readonly string[];
}

const FIELDS: readonly Field[] = [
  { weight: 1, lengthShare: 0.4, usualLength: 5, leastLength: 1, textsOf: ({ metadata }) => [metadata.name] },
  {
    weight: 0.7,
    lengthShare: 0.75,
    usualLength: 50,
    leastLength: 10,
    textsOf: ({ metadata }) => [metadata.description],
  },
  { weight: 0.6, lengthShare: 0.4, usualLength: 2, leastLength: 1, textsOf: ({ tags = [] }) => tags },
  {
    weight: 0.5,
    lengthShare: 0.4,
    usualLength: 3,
    leastLength: 1,
    textsOf: ({ category }) => (category ? [category] : []),
  },
  {
    weight: 0.4,
    lengthShare: 0.75,
    usualLength: 50,
    leastLength: 10,
    textsOf: ({ metadata }) => (metadata.parameters ?? []).flatMap(({ name, description }) => [name, description]),
  },
];
const ALL = FIELDS.reduce((sum, { weight }) => sum + weight, 0);
const SATURATION = 1.2;
const MOST_TOKENS_KEPT = 20_000;

/** Calculates the weights of a document's terms, by BM25 of each field (Robertson and Zaragoza 2009), weighted and added up. */
export class TermWeigher {
  /** Terms of tokens, cached. */
  readonly #terms = new Map<string, readonly string[]>();

  /** Returns the weight of each term of the document, from 0 to 1. */
  weigh(document: Searchable): Map<string, number> {
    const weights = new Map<string, number>();
    for (const { weight, lengthShare, usualLength, leastLength, textsOf } of FIELDS) {
      const times = new Map<string, number>();
      let length = 0;
      for (const text of textsOf(document)) {
        for (const token of tokensOf(text)) {
          for (const term of this.#termsOf(token)) {
            length += 1;
            times.set(term, (times.get(term) ?? 0) + 1);
          }
        }
      }
      const damping = SATURATION * (1 - lengthShare + (lengthShare * Math.max(leastLength, length)) / usualLength);
      for (const [term, count] of times)
        weights.set(term, (weights.get(term) ?? 0) + (weight / ALL) * (count / (count + damping)));
    }
    return weights;
  }

  #termsOf(token: string): readonly string[] {
    let terms = this.#terms.get(token);
    if (!terms) {
      terms = wordsOf(token).map(stem);
      if (this.#terms.size >= MOST_TOKENS_KEPT) this.#terms.clear();
      this.#terms.set(token, terms);
    }
    return terms;
  }
}
