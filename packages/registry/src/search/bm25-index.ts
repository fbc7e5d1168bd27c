import { keyOf, MOST_KEYS } from './entry-lists.ts';
import { meaningsOf, type Variant } from './near-words.ts';
import { blockOf, Postings } from './postings.ts';
import { Ranking, type WantedTerm } from './ranking.ts';
import { stem } from './stem.ts';
import { Vocabulary } from './vocabulary.ts';
import { type Searchable, TermWeigher } from './weigh-terms.ts';
import { queryWordsOf } from './words.ts';

/** Which of the documents that have a word of the query are wanted. */
export interface IndexSearchOptions<T> {
  /** The most that are answered. Default: all. */
  readonly limit?: number;
  /** Whether a document may be answered. Default: all may. */
  readonly accepts?: (document: T) => boolean;
}

/** A term of the query. */
interface QueryTerm extends WantedTerm {
  readonly term: number;
}

/** Rarities are rounded to this part of 1. */
const FINENESS = 1_000;
const MOST_WORDS_KEPT = 2_000;
/** Of the words of a query that are nowhere; to guess what one means takes up to 0.3 ms. */
const MOST_GUESSED = 8;

/**
 * An inverted index that ranks by BM25 of name, description, tags and category. What a term weighs in a document depends on that
 * document alone, so after any changes it answers as a fresh index would.
 */
export class Bm25Index<T extends Searchable> {
  #vocabulary = new Vocabulary();
  #weigher = new TermWeigher(this.#vocabulary);
  #postings = new Postings();
  readonly #ranking = new Ranking();
  /** By slot. */
  readonly #documents: (T | undefined)[] = [];
  /** By block: no document of it has a lower place. */
  readonly #firstPlaces: number[] = [];
  /** Slots of documents that were removed. */
  readonly #free: number[] = [];
  /** What the words of earlier queries stand for, until something changes. */
  readonly #words = new Map<string, readonly QueryTerm[]>();

  /** Adds a document. One that it replaces is to be removed first. */
  add(document: T): void {
    const slot = this.#free.pop() ?? this.#documents.length;
    if (slot >= MOST_KEYS) throw new RangeError(`More than ${MOST_KEYS} tools cannot be searched`);
    const postings = this.#postings;
    this.#weigher.weigh(document, (term, weight) => postings.add(term, slot, weight));
    this.#documents[slot] = document;
    const block = blockOf(slot);
    this.#firstPlaces[block] = Math.min(document.place, this.#firstPlaces[block] ?? document.place);
    this.#words.clear();
  }

  /** Takes out a document that was added; ignores any other. */
  remove(document: T): void {
    const terms: number[] = [];
    this.#weigher.weigh(document, (term) => terms.push(term));
    const slot = this.#slotOf(document, terms);
    if (slot !== undefined) {
      for (const term of terms) this.#postings.remove(term, slot);
      this.#documents[slot] = undefined;
      this.#free.push(slot);
      this.#words.clear();
    }
    for (const term of terms) if (this.#postings.countOf(term) === 0) this.#vocabulary.delete(term);
    if (this.#size === 0) this.#beginAnew();
  }

  /** The documents that have a word of the query, best first; equal ones by their place. */
  search(query: string, { limit = this.#size, accepts }: IndexSearchOptions<T> = {}): T[] {
    if (limit < 1 || this.#size === 0) return [];
    const documents = this.#documents;
    const most = Math.min(limit, this.#size);
    const found = this.#ranked(query, most);
    if (!accepts || found.every(accepts)) return found;
    return found.length < most ? found.filter(accepts) : this.#ranked(query, most, (slot) => accepts(documents[slot]!));
  }

  #ranked(query: string, limit: number, isWanted?: (slot: number) => boolean): T[] {
    const documents = this.#documents;
    const slots = this.#ranking.rank(this.#termsOf(query), documents.length, {
      limit,
      placeOf: (slot) => documents[slot]!.place, // only live ones have terms
      firstPlaceOf: (block) => this.#firstPlaces[block]!,
      isWanted,
    });
    return slots.map((slot) => documents[slot]!);
  }

  /** Gives back the memory of what was. */
  #beginAnew(): void {
    this.#vocabulary = new Vocabulary();
    this.#weigher = new TermWeigher(this.#vocabulary);
    this.#postings = new Postings();
    this.#documents.length = 0;
    this.#firstPlaces.length = 0;
    this.#free.length = 0;
  }

  get #size(): number {
    return this.#documents.length - this.#free.length;
  }

  /** A term that several words may stand for counts once. */
  #termsOf(query: string): readonly WantedTerm[] {
    const wanted = new Map<number, QueryTerm>();
    let unknown = 0;
    for (const word of queryWordsOf(query)) {
      const mayGuess = this.#vocabulary.idOf(stem(word)) !== undefined || ++unknown <= MOST_GUESSED;
      for (const one of mayGuess ? this.#wanted(word) : this.#meant(word, false)) {
        if (one.factor > (wanted.get(one.term)?.factor ?? 0)) wanted.set(one.term, one);
      }
    }
    return Array.from(wanted.values());
  }

  #wanted(word: string): readonly QueryTerm[] {
    const known = this.#words.get(word);
    if (known) return known;
    const wanted = this.#meant(word, true);
    if (this.#words.size >= MOST_WORDS_KEPT) this.#words.clear();
    this.#words.set(word, wanted);
    return wanted;
  }

  #meant(word: string, mayGuess: boolean): readonly QueryTerm[] {
    return meaningsOf(word, this.#vocabulary, mayGuess).flatMap((variants) => this.#weighed(variants));
  }

  /** All that a word may stand for is as rare as the word itself, or as all together when it is nowhere. */
  #weighed(variants: readonly Variant[]): QueryTerm[] {
    const itself = variants.find(({ nearness }) => nearness === 1);
    const counted = itself ? [itself] : variants;
    const having = Math.min(
      this.#size,
      counted.reduce((sum, { term }) => sum + this.#postings.countOf(term), 0),
    );
    const rarity = Math.log(1 + (this.#size - having + 0.5) / (having + 0.5));
    return variants.map(({ term, nearness }) => {
      const factor = Math.max(1, Math.round(FINENESS * rarity * nearness));
      return { ...this.#postings.of(term), term, factor };
    });
  }

  /** Looked for among the documents that have its rarest term. */
  #slotOf(document: T, terms: readonly number[]): number | undefined {
    if (terms.length === 0) return undefined;
    const countOf = (term: number) => this.#postings.countOf(term);
    const rarest = terms.reduce((one, other) => (countOf(other) < countOf(one) ? other : one));
    if (countOf(rarest) === 0) return undefined;
    const posting = this.#postings.of(rarest).postings.find((one) => this.#documents[keyOf(one)] === document);
    return posting === undefined ? undefined : keyOf(posting);
  }
}
