import { best } from './best.ts';
import { meaningsOf, type Variant } from './near-words.ts';
import { ShardedMap } from './sharded-map.ts';
import { SortedBlocks } from './sorted-blocks.ts';
import { stem } from './stem.ts';
import { type Searchable, TermWeigher } from './weigh-terms.ts';
import { isFunctionWord, queryWordsOf } from './words.ts';

/** Options of a search in the index. */
export interface IndexSearchOptions<T> {
  /** Maximum number of results. Default: all. */
  readonly limit?: number;
  /** True for a document that may be in the results. Default: all. */
  readonly accepts?: (document: T) => boolean;
}

/** The documents with a term: each slot and the weight of the term in it, as one number. */
type Posting = SortedBlocks<number>;

/** Weights are multiples of 1/1,023, and rarities of 1/1,000: sums of products are exact, in any order. */
const FINEST = 1_023;
const SLOT = FINEST + 1;
const RARITY = 1_000;
/** A slot with its weight has at most 32 bits. */
const MOST_SLOTS = 2 ** 22;
/** Maximum number of unknown words in a query that are guessed; one guess takes up to 0.3 ms. */
const MOST_GUESSED = 8;

/**
 * An inverted index that ranks by BM25 of name, description, tags, category and parameters. The weight of a term in a document depends on
 * that document alone, so after any changes the results equal those of a fresh index.
 */
export class Bm25Index<T extends Searchable> {
  readonly #weigher = new TermWeigher();
  readonly #postings = new ShardedMap<Posting>();
  readonly #terms = new SortedBlocks<string>();
  /** By slot; undefined for a free one. */
  readonly #documents: (T | undefined)[] = [];
  readonly #free: number[] = [];
  /** By slot. All are 0 between two searches. */
  #scores = new Float64Array(0);

  /** Adds a document. Remove the one that it replaces first. */
  add(document: T): void {
    const slot = this.#free.pop() ?? this.#documents.length;
    if (slot >= MOST_SLOTS) throw new RangeError(`More than ${MOST_SLOTS} tools cannot be searched`);
    for (const [term, weight] of this.#weigher.weigh(document)) this.#postingOf(term).add(entryOf(slot, weight));
    this.#documents[slot] = document;
  }

  /** Removes a document; ignores an unknown one. */
  remove(document: T): void {
    const weights = this.#weigher.weigh(document);
    const slot = this.#slotOf(document, weights.keys());
    if (slot === undefined) return;
    this.#documents[slot] = undefined;
    this.#free.push(slot);
    for (const [term, weight] of weights) {
      const posting = this.#postingOf(term);
      posting.delete(entryOf(slot, weight));
      if (posting.size > 0) continue;
      this.#postings.delete(term);
      this.#terms.delete(term);
    }
  }

  /** The documents with a word of the query, best first; equal ones by their place. */
  search(query: string, { limit = this.#size, accepts }: IndexSearchOptions<T> = {}): T[] {
    if (limit < 1 || this.#size === 0) return [];
    const [documents, scores] = [this.#documents, this.#room()];
    const touched: number[] = [];
    for (const [term, factor] of this.#factorsOf(query)) {
      for (const block of this.#postings.get(term)!.blocks) {
        for (const entry of block) {
          const slot = Math.floor(entry / SLOT);
          if (scores[slot] === 0) touched.push(slot);
          scores[slot]! += factor * (entry % SLOT); // there is room for every slot
        }
      }
    }
    const slots = accepts ? touched.filter((slot) => accepts(documents[slot]!)) : touched; // only live ones have entries
    const found = best({ slots, scores, placeOf: (slot) => documents[slot]!.place }, limit);
    for (const slot of touched) scores[slot] = 0;
    return found.map((slot) => documents[slot]!);
  }

  get #size(): number {
    return this.#documents.length - this.#free.length;
  }

  /** Searches for the document among those with its rarest term. */
  #slotOf(document: T, terms: Iterable<string>): number | undefined {
    let rarest: Posting | undefined;
    for (const term of terms) {
      const posting = this.#postings.get(term);
      if (!posting) return undefined;
      if (!rarest || posting.size < rarest.size) rarest = posting;
    }
    for (const block of rarest?.blocks ?? []) {
      const entry = block.find((one) => this.#documents[Math.floor(one / SLOT)] === document);
      if (entry !== undefined) return Math.floor(entry / SLOT);
    }
    return undefined;
  }

  #postingOf(term: string): Posting {
    const known = this.#postings.get(term);
    if (known) return known;
    const posting: Posting = new SortedBlocks();
    this.#postings.set(term, posting);
    this.#terms.add(term);
    return posting;
  }

  #room(): Float64Array {
    const { length } = this.#documents;
    if (this.#scores.length < length) this.#scores = new Float64Array(2 * length);
    return this.#scores;
  }

  /**
   * The factor of each term of the query: the highest if several words may stand for it. Function words count only if no other word is
   * known.
   */
  #factorsOf(query: string): Map<string, number> {
    const words = [...queryWordsOf(query)];
    const factors = this.#meant(words.filter((word) => !isFunctionWord(word)));
    return factors.size > 0 ? factors : this.#meant(words.filter(isFunctionWord));
  }

  #meant(words: readonly string[]): Map<string, number> {
    const factors = new Map<string, number>();
    let unknown = 0;
    for (const word of words) {
      const mayGuess = this.#postings.get(stem(word)) !== undefined || ++unknown <= MOST_GUESSED;
      for (const variants of meaningsOf(word, this.#known, mayGuess)) {
        const rarity = this.#rarityOf(variants);
        for (const { term, nearness } of variants) {
          const factor = Math.max(1, Math.round(RARITY * rarity * nearness));
          factors.set(term, Math.max(factor, factors.get(term) ?? 0));
        }
      }
    }
    return factors;
  }

  readonly #known = {
    has: (term: string): boolean => this.#postings.get(term) !== undefined,
    from: (start: string): Iterable<string> => this.#terms.from(start),
  };

  /** The rarity of all variants of a word: that of the word itself, or of all together when the word is unknown. */
  #rarityOf(variants: readonly Variant[]): number {
    const itself = variants.find(({ nearness }) => nearness === 1);
    const counted = itself ? [itself] : variants;
    const size = this.#size;
    const having = Math.min(
      size,
      counted.reduce((sum, { term }) => sum + this.#postings.get(term)!.size, 0), // only known terms are meant
    );
    return Math.log(1 + (size - having + 0.5) / (having + 0.5));
  }
}

function entryOf(slot: number, weight: number): number {
  return slot * SLOT + Math.max(1, Math.round(FINEST * weight));
}
