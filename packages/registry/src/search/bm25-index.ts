import { meaningsOf, type Variant } from './near-words.ts';
import { MOST_SLOTS, Postings, slotOf } from './postings.ts';
import { Ranking, type Step } from './ranking.ts';
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
interface WantedTerm {
  readonly term: number;
  readonly factor: number;
  readonly lists: readonly Step[];
}

/** Rarities are rounded to this part of 1. */
const FINENESS = 1_000;
const MOST_WORDS_KEPT = 2_000;

/**
 * An inverted index that ranks by BM25 of name, description, tags and category. What a term weighs in a document depends on that
 * document alone, so after any changes it answers as a fresh index would.
 */
export class Bm25Index<T extends Searchable> {
  readonly #weigher = new TermWeigher();
  #vocabulary = new Vocabulary();
  #postings = new Postings();
  readonly #ranking = new Ranking();
  /** By slot. */
  readonly #documents: (T | undefined)[] = [];
  /** Slots of documents that were removed. */
  readonly #free: number[] = [];
  /** What the words of earlier queries stand for, until something changes. */
  readonly #words = new Map<string, readonly WantedTerm[]>();

  /** Adds a document. One that it replaces is to be removed first. */
  add(document: T): void {
    const slot = this.#free.pop() ?? this.#documents.length;
    if (slot >= MOST_SLOTS) throw new RangeError(`More than ${MOST_SLOTS} tools cannot be searched`);
    for (const [term, weight] of this.#weigher.weigh(document)) {
      this.#postings.add(this.#vocabulary.add(term), slot, weight);
    }
    this.#documents[slot] = document;
    this.#words.clear();
  }

  /** Takes out a document that was added; ignores any other. */
  remove(document: T): void {
    const weights = this.#weigher.weigh(document);
    const terms = Array.from(weights.keys(), (term) => this.#vocabulary.idOf(term) ?? -1);
    const slot = this.#slotOf(document, terms);
    if (slot === undefined) return;
    for (const [index, weight] of Array.from(weights.values()).entries()) {
      const term = terms[index]!; // one for each weight
      this.#postings.remove(term, slot, weight);
      if (this.#postings.countOf(term) === 0) this.#vocabulary.delete(term);
    }
    this.#documents[slot] = undefined;
    this.#free.push(slot);
    this.#words.clear();
    if (this.#size === 0) this.#beginAnew();
  }

  /** The documents that have a word of the query, best first; equal ones by their place. */
  search(query: string, { limit = this.#size, accepts }: IndexSearchOptions<T> = {}): T[] {
    if (limit < 1 || this.#size === 0) return [];
    const documents = this.#documents;
    const slots = this.#ranking.rank(this.#listsOf(query), documents.length, {
      limit: Math.min(limit, this.#size),
      placeOf: (slot) => documents[slot]!.place, // only wanted ones are compared
      isWanted: (slot) => {
        const document = documents[slot];
        return document !== undefined && (accepts === undefined || accepts(document));
      },
    });
    return slots.map((slot) => documents[slot]!); // only live ones are wanted
  }

  /** Gives back the memory of what was. */
  #beginAnew(): void {
    this.#vocabulary = new Vocabulary();
    this.#postings = new Postings();
    this.#documents.length = 0;
    this.#free.length = 0;
  }

  get #size(): number {
    return this.#documents.length - this.#free.length;
  }

  /** A term that several words may stand for counts once. */
  #listsOf(query: string): Step[] {
    const wanted = new Map<number, WantedTerm>();
    for (const word of queryWordsOf(query)) {
      for (const one of this.#wanted(word)) {
        if (one.factor > (wanted.get(one.term)?.factor ?? 0)) wanted.set(one.term, one);
      }
    }
    return Array.from(wanted.values()).flatMap(({ lists }) => lists);
  }

  #wanted(word: string): readonly WantedTerm[] {
    const known = this.#words.get(word);
    if (known) return known;
    const wanted = meaningsOf(word, this.#vocabulary).flatMap((variants) => this.#weighed(variants));
    if (this.#words.size >= MOST_WORDS_KEPT) this.#words.clear();
    this.#words.set(word, wanted);
    return wanted;
  }

  /** All that a word may stand for is as rare as the word itself, or as all together when it is nowhere. */
  #weighed(variants: readonly Variant[]): WantedTerm[] {
    const itself = variants.find(({ nearness }) => nearness === 1);
    const counted = itself ? [itself] : variants;
    const having = Math.min(
      this.#size,
      counted.reduce((sum, { term }) => sum + this.#postings.countOf(term), 0),
    );
    const rarity = Math.log(1 + (this.#size - having + 0.5) / (having + 0.5));
    return variants.map(({ term, nearness }) => {
      const factor = Math.max(1, Math.round(FINENESS * rarity * nearness));
      const lists = this.#postings
        .listsOf(term)
        .map((list) => ({ ...list, term, factor, most: factor * list.highest }));
      return { term, factor, lists };
    });
  }

  /** Looked for among the documents that have its rarest term. */
  #slotOf(document: T, terms: readonly number[]): number | undefined {
    if (terms.length === 0 || terms.includes(-1)) return undefined;
    const countOf = (term: number) => this.#postings.countOf(term);
    const rarest = terms.reduce((one, other) => (countOf(other) < countOf(one) ? other : one));
    for (const { pool, start, end } of this.#postings.listsOf(rarest)) {
      for (let index = start; index < end; index++) {
        const slot = slotOf(pool[index]!); // a list lies inside the pool
        if (this.#documents[slot] === document) return slot;
      }
    }
    return undefined;
  }
}
