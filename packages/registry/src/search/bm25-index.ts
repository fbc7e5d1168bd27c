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

/** The terms that a word of a query may stand for, the nearest first, and what each counts. */
type Meaning = readonly { readonly term: string; readonly factor: number }[];

/** Weights are multiples of 1/1,023, and rarities of 1/1,000: products and their sums are exact, in any order. */
const BITS = 10;
const FINEST = 2 ** BITS - 1;
const RARITY = 1_000;
/** A slot with its weight has at most 32 bits. */
const MOST_SLOTS = 2 ** 22;
/** Maximum number of unknown words in a query that are guessed; one guess takes up to 0.3 ms. */
const MOST_GUESSED = 8;

/**
 * An inverted index that ranks by BM25 of name, description, tags, category and parameters, and by how much of the query a document has.
 * The weight of a term in a document depends on that document alone, so after any changes the results equal those of a fresh index.
 */
export class Bm25Index<T extends Searchable> {
  readonly #weigher = new TermWeigher();
  readonly #postings = new ShardedMap<Posting>();
  readonly #terms = new SortedBlocks<string>();
  /** By slot; undefined for a free one. */
  readonly #documents: (T | undefined)[] = [];
  readonly #free: number[] = [];
  #found = roomFor(0);

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
    const [documents, { scores, covered, lastWords }] = [this.#documents, this.#room()];
    const touched: number[] = [];
    const words = this.#wordsOf(query);
    for (const [place, meaning] of words.entries()) {
      for (const { term, factor } of meaning) {
        for (const block of this.#postings.get(term)!.blocks) {
          for (const entry of block) {
            const slot = entry >>> BITS;
            if (scores[slot] === 0) touched.push(slot);
            scores[slot]! += factor * (entry & FINEST); // there is room for every slot
            if (lastWords[slot] === place + 1) continue;
            lastWords[slot] = place + 1;
            covered[slot]! += factor; // of the nearest of its terms, which comes first
          }
        }
      }
    }
    const whole = words.reduce((sum, [first]) => sum + first!.factor, 0); // no word is without terms
    for (const slot of touched) scores[slot]! *= whole + covered[slot]!;
    const slots = accepts ? touched.filter((slot) => accepts(documents[slot]!)) : touched; // only live ones have entries
    const found = best({ slots, scores, placeOf: (slot) => documents[slot]!.place }, limit);
    for (const slot of touched) scores[slot] = covered[slot] = lastWords[slot] = 0;
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
      const entry = block.find((one) => this.#documents[one >>> BITS] === document);
      if (entry !== undefined) return entry >>> BITS;
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

  #room(): ReturnType<typeof roomFor> {
    const { length } = this.#documents;
    if (this.#found.scores.length < length) this.#found = roomFor(2 * length);
    return this.#found;
  }

  /** The terms of each word of the query that is known. Function words count only if no other word is known. */
  #wordsOf(query: string): Meaning[] {
    const words = oncePerRoot(queryWordsOf(query));
    const meant = this.#meant(words.filter((word) => !isFunctionWord(word)));
    return meant.length > 0 ? meant : this.#meant(words.filter(isFunctionWord));
  }

  #meant(words: readonly string[]): Meaning[] {
    let unknown = 0;
    return words.flatMap((word) => {
      const mayGuess = this.#postings.get(stem(word)) !== undefined || ++unknown <= MOST_GUESSED;
      return meaningsOf(word, this.#known, mayGuess).map((variants) => {
        const rarity = RARITY * this.#rarityOf(variants);
        return variants.map(({ term, nearness }) => ({ term, factor: Math.max(1, Math.round(rarity * nearness)) }));
      });
    });
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

/** Makes room for what a search finds, by slot; all is 0 between two searches. `lastWords` are places of words, from 1. */
function roomFor(slots: number) {
  return { scores: new Float64Array(slots), covered: new Float64Array(slots), lastWords: new Uint16Array(slots) };
}

/** Of each word the shortest form, which is the beginning of most others; of equally long ones always the same. */
function oncePerRoot(words: Iterable<string>): string[] {
  const forms = Map.groupBy(words, stem).values();
  return Array.from(forms, (same) => same.reduce((one, other) => (isShorter(other, one) ? other : one)));
}

function isShorter(word: string, other: string): boolean {
  return word.length < other.length || (word.length === other.length && word < other);
}

function entryOf(slot: number, weight: number): number {
  return slot * (FINEST + 1) + Math.max(1, Math.round(FINEST * weight));
}
