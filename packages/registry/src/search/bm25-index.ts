import { tokenize } from './tokenize.ts';

/** What can be found. Its texts must not change while it is in the index. */
export interface Searchable {
  /** Decides between equal scores: the lower one comes first. */
  readonly place: number;
  readonly metadata: { readonly name: string; readonly description: string };
  readonly tags?: readonly string[];
  readonly category?: string;
}

interface Postings {
  readonly slots: number[];
  /** How often the term stands in each field: eight bits a field, so at most 255 times. */
  readonly counts: number[];
  /** Without the slots of what was removed. */
  live: number;
}
interface Terms {
  readonly counts: ReadonlyMap<string, number>;
  /** Words of each field. */
  readonly lengths: readonly number[];
}

/** Of name, description, tags and category. */
const WEIGHTS = [1, 0.7, 0.6, 0.5];
/** How much the length of a field counts: less where texts are short. */
const LENGTH_SHARES = [0.25, 0.5, 0.25, 0.25];
const FIELDS = WEIGHTS.length;
const SATURATION = 1.2;
const SEPARATORS = /[-_]/g;

/**
 * An inverted index with BM25 (Robertson and Zaragoza 2009) for each field, weighted and added up. After any changes it answers
 * as a fresh index would.
 */
export class Bm25Index<T extends Searchable> {
  #postings = new Map<string, Postings>();
  #slotOf = new Map<string, number>();
  #documents: (T | undefined)[] = [];
  /** Words of each field of each slot. */
  #lengths: number[] = [];
  #sums = WEIGHTS.map(() => 0);
  #scores = new Float64Array(64);

  /** Adds a document, or replaces the one of this name. */
  add(document: T): void {
    const { name } = document.metadata;
    this.remove(name);
    const slot = this.#documents.length;
    const { counts, lengths } = termsOf(document);
    for (const [term, count] of counts) this.#post(term, slot, count);
    this.#documents.push(document);
    this.#lengths.push(...lengths);
    this.#sums = this.#sums.map((sum, field) => sum + lengths[field]!); // one length for each field
    this.#slotOf.set(name, slot);
  }

  remove(name: string): void {
    const slot = this.#slotOf.get(name);
    const document = slot === undefined ? undefined : this.#documents[slot];
    if (slot === undefined || document === undefined) return;
    const { counts, lengths } = termsOf(document);
    for (const term of counts.keys()) {
      const postings = this.#postings.get(term);
      if (postings && --postings.live === 0) this.#postings.delete(term);
    }
    this.#sums = this.#sums.map((sum, field) => sum - lengths[field]!); // one length for each field
    this.#documents[slot] = undefined;
    this.#slotOf.delete(name);
    if (this.#documents.length > 64 + 2 * this.#slotOf.size) this.#rebuild();
  }

  /** All documents that have a term of the query, best first. */
  search(query: string): T[] {
    if (this.#scores.length < this.#documents.length) this.#scores = new Float64Array(2 * this.#documents.length);
    const found: number[] = [];
    for (const term of new Set(tokenize(query))) this.#score(term, found);
    const byScore = new Map<number, T[]>(); // many score the same: to sort these apart is the short way
    for (const slot of found) {
      const score = this.#scores[slot]!;
      const same = byScore.get(score);
      if (same) same.push(this.#documents[slot]!);
      else byScore.set(score, [this.#documents[slot]!]); // only live slots are found
      this.#scores[slot] = 0;
    }
    const groups = [...byScore].sort(([one], [other]) => other - one);
    return groups.flatMap(([, same]) => same.sort((one, other) => one.place - other.place));
  }

  #score(term: string, found: number[]): void {
    const postings = this.#postings.get(term);
    if (!postings) return;
    const [documents, lengths, scores] = [this.#documents, this.#lengths, this.#scores];
    const size = this.#slotOf.size;
    const means = this.#sums.map((sum) => sum / size);
    const rarity = Math.log(1 + (size - postings.live + 0.5) / (postings.live + 0.5));
    for (let index = 0; index < postings.slots.length; index++) {
      const slot = postings.slots[index]!; // both lists are as long
      if (!documents[slot]) continue;
      if (scores[slot] === 0) found.push(slot); // a term always adds more than nothing
      scores[slot]! +=
        rarity * weightOf(postings.counts[index]!, (field) => lengths[slot * FIELDS + field]! / means[field]!);
    }
  }

  #post(term: string, slot: number, count: number): void {
    const postings = this.#postings.get(term) ?? { slots: [], counts: [], live: 0 };
    postings.slots.push(slot);
    postings.counts.push(count);
    postings.live++;
    this.#postings.set(term, postings);
  }

  #rebuild(): void {
    const kept = this.#documents.filter((document) => document !== undefined);
    this.#postings = new Map();
    this.#slotOf = new Map();
    this.#documents = [];
    this.#lengths = [];
    this.#sums = WEIGHTS.map(() => 0);
    for (const document of kept) this.add(document);
  }
}

function weightOf(counts: number, relativeLength: (field: number) => number): number {
  let weight = 0;
  for (let field = 0, rest = counts; rest > 0; field++, rest >>>= 8) {
    const times = rest & 255;
    if (times === 0) continue;
    const share = LENGTH_SHARES[field]!; // counts have as many fields
    const damping = SATURATION * (1 - share + share * relativeLength(field));
    weight += (WEIGHTS[field]! * times) / (times + damping);
  }
  return weight;
}

function termsOf({ metadata: { name, description }, tags = [], category = '' }: Searchable): Terms {
  const counts = new Map<string, number>();
  const lengths = [name, description, tags.join(' '), category].map((text, field) => {
    const terms = tokenize(text, { indexing: true });
    for (const term of terms) count(counts, term, field);
    return terms.length;
  });
  const joined = name.replace(SEPARATORS, '');
  if (joined !== name) for (const term of tokenize(joined)) count(counts, term, 0); // `readFile` finds `read-file`
  return { counts, lengths };
}

function count(counts: Map<string, number>, term: string, field: number): void {
  const before = counts.get(term) ?? 0;
  if (((before >>> (8 * field)) & 255) < 255) counts.set(term, (before + 2 ** (8 * field)) >>> 0);
}
