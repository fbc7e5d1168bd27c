import { Best } from './best.ts';
import { keyOf, placeOf, valueOf } from './entry-lists.ts';
import { Levels } from './levels.ts';
import { blockOf, IN_A_BLOCK, type TermPostings } from './postings.ts';

/** A term that is looked for. */
export interface WantedTerm extends TermPostings {
  /** What impact 1 adds to a score: a whole number, so that sums are exact in any order. */
  readonly factor: number;
}

/** Which slots are answered, and how many. */
export interface RankOptions {
  readonly limit: number;
  /** All are without it. */
  readonly isWanted: ((slot: number) => boolean) | undefined;
  /** Decides between equal scores: the lower one comes first. */
  readonly placeOf: (slot: number) => number;
  /** No slot of the block has a lower place. */
  readonly firstPlaceOf: (block: number) => number;
}

/** Blocks of a group. */
const IN_A_GROUP = 16;
/** As many blocks are chosen at first as slots are wanted; each time that it was not enough, so many times as many. */
const MORE_BLOCKS = 4;
/** A cell has the scores of a block, and before them the highest that its rare terms make. */
const IN_A_CELL = 1 + IN_A_BLOCK;

/**
 * Finds the best slots for the terms of a query. Rare terms are added up wherever they are. What the frequent ones add is looked up in
 * chosen blocks only: for each block there is a bound of what its slots can get (Ding and Suel 2011), those with the highest bounds
 * are completed first, and those that cannot have one of the best are left out. This changes nothing in the answer.
 */
export class Ranking {
  /** By block: no slot of it gets more; 0 when none has a term, or all were offered. */
  #bounds = new Float64Array(0);
  /** By group of blocks: the highest of their bounds. */
  #tops = new Float64Array(0);
  /** By block: where its cell begins; 0 when it has none. */
  #cells = new Int32Array(0);
  #scores = new Float64Array(64 * IN_A_CELL);
  /** Where the next cell begins. */
  #end = IN_A_CELL;
  /** The blocks that are completed now, in rising order. */
  #chosen = new Int32Array(0);
  readonly #levels = new Levels();

  /** The best of the slots below `slots`, best first. The terms are as they are now, each once. */
  rank(terms: readonly WantedTerm[], slots: number, options: RankOptions): number[] {
    const groups = Math.ceil(slots / (IN_A_BLOCK * IN_A_GROUP));
    this.#begin(groups);
    for (const { postings, bounds, factor } of terms) {
      if (bounds) this.#addBounds(bounds, factor);
      else this.#addScores(postings, factor);
    }
    this.#findTops(groups);
    const frequent = terms.filter(({ bounds }) => bounds);
    const best = new Best(options.limit, options.placeOf);
    for (let most = options.limit; ; most *= MORE_BLOCKS) {
      const count = this.#choose(groups, most, best, options);
      if (count === 0) return best.ranked();
      this.#makeCells(count);
      for (const { postings, factor } of frequent) this.#complete(postings, factor, count);
      this.#offer(count, best, options);
    }
  }

  /** Forgets the last query. */
  #begin(groups: number): void {
    this.#scores.fill(0, 0, this.#end);
    this.#end = IN_A_CELL;
    if (this.#tops.length >= groups) {
      this.#bounds.fill(0);
      this.#cells.fill(0);
      return;
    }
    const room = Math.ceil(1.25 * groups);
    this.#tops = new Float64Array(room);
    this.#bounds = new Float64Array(IN_A_GROUP * room);
    this.#cells = new Int32Array(IN_A_GROUP * room);
    this.#chosen = new Int32Array(IN_A_GROUP * room);
  }

  #addBounds(bounds: Int32Array, factor: number): void {
    const sums = this.#bounds;
    for (let index = 0; index < bounds.length; index++) {
      const bound = bounds[index]!; // below the length
      sums[keyOf(bound)]! += factor * valueOf(bound); // there is room for every block
    }
  }

  #addScores(postings: Int32Array, factor: number): void {
    this.#makeRoom(postings.length);
    const [bounds, cells, scores] = [this.#bounds, this.#cells, this.#scores];
    let end = this.#end;
    for (let index = 0; index < postings.length; index++) {
      const posting = postings[index]!; // below the length
      const slot = keyOf(posting);
      const block = blockOf(slot);
      let cell = cells[block]!; // there is room for every block
      if (cell === 0) {
        cell = end;
        cells[block] = cell;
        end += IN_A_CELL;
      }
      const at = cell + 1 + (slot & (IN_A_BLOCK - 1));
      const score = scores[at]! + factor * valueOf(posting);
      scores[at] = score;
      const highest = scores[cell]!;
      if (score <= highest) continue;
      scores[cell] = score;
      bounds[block]! += score - highest;
    }
    this.#end = end;
  }

  #findTops(groups: number): void {
    const [bounds, tops] = [this.#bounds, this.#tops];
    for (let group = 0; group < groups; group++) {
      let top = 0;
      const end = IN_A_GROUP * (group + 1);
      for (let block = end - IN_A_GROUP; block < end; block++) if (bounds[block]! > top) top = bounds[block]!;
      tops[group] = top;
    }
  }

  /** The blocks that can have one of the best, all of them or about `most` with the highest bounds: how many there are. */
  #choose(groups: number, most: number, { threshold, worstPlace }: Best, { firstPlaceOf }: RankOptions): number {
    const [bounds, tops, chosen] = [this.#bounds, this.#tops, this.#chosen];
    const least = Math.max(1, threshold, this.#leastBound(groups, most));
    let count = 0;
    for (let group = 0; group < groups && count < 2 * most; group++) {
      if (tops[group]! < least) continue;
      let top = 0;
      const end = IN_A_GROUP * (group + 1);
      for (let block = end - IN_A_GROUP; block < end; block++) {
        const bound = bounds[block]!; // there is room for every block
        const isAble = bound > threshold || (bound === threshold && firstPlaceOf(block) < worstPlace);
        if (isAble && bound >= least) chosen[count++] = block;
        else if (isAble && bound > top) top = bound;
      }
      tops[group] = top;
    }
    return count;
  }

  /** What about so many of the highest bounds reach. */
  #leastBound(groups: number, most: number): number {
    // Groups are fewer, and their tops tell enough unless many blocks are wanted.
    const bounds = groups < 2 * most ? this.#bounds : this.#tops;
    const count = groups < 2 * most ? IN_A_GROUP * groups : groups;
    if (count <= most) return 0;
    let highest = 0;
    for (let group = 0; group < groups; group++) highest = Math.max(highest, this.#tops[group]!);
    this.#levels.begin(highest);
    for (let index = 0; index < count; index++) this.#levels.add(bounds[index]!);
    return this.#levels.reachedBy(most);
  }

  /** A cell for each chosen block. */
  #makeCells(count: number): void {
    this.#makeRoom(count);
    for (let index = 0; index < count; index++) {
      const block = this.#chosen[index]!; // below the count
      if (this.#cells[block]! > 0) continue;
      this.#cells[block] = this.#end;
      this.#end += IN_A_CELL;
    }
  }

  /** Room for so many cells more, as far as there are blocks. */
  #makeRoom(cells: number): void {
    const room = Math.min(this.#end + IN_A_CELL * cells, IN_A_CELL * (1 + this.#cells.length));
    if (room <= this.#scores.length) return;
    const scores = new Float64Array(Math.ceil(1.5 * room));
    scores.set(this.#scores.subarray(0, this.#end));
    this.#scores = scores;
  }

  /** Adds what a frequent term makes in the chosen blocks. */
  #complete(postings: Int32Array, factor: number, count: number): void {
    const [scores, cells, chosen] = [this.#scores, this.#cells, this.#chosen];
    const end = postings.length;
    let [at, before] = [0, 0];
    for (let index = 0; index < count; index++) {
      const block = chosen[index]!; // below the count
      const first = IN_A_BLOCK * block;
      const cell = cells[block]! + 1 - first;
      at = placeOf(first, postings, at, Math.min(end, at + first - before)); // a slot has one posting
      before = first + IN_A_BLOCK;
      for (; at < end; at++) {
        const posting = postings[at]!; // before the end
        const slot = keyOf(posting);
        if (slot >= before) break;
        scores[cell + slot]! += factor * valueOf(posting);
      }
    }
  }

  /** Offers the slots of the chosen blocks, those with the highest scores first: hardly any other comes in then. */
  #offer(count: number, best: Best, { limit, isWanted }: RankOptions): void {
    let below = Number.POSITIVE_INFINITY;
    let least = Math.max(1, best.threshold, best.threshold === 0 ? this.#leastScore(count, limit) : 0);
    for (;;) {
      this.#offerBetween(least, below, { count, best, isWanted });
      if (least === 1 || best.threshold >= least) break;
      below = least;
      least = Math.max(1, best.threshold);
    }
    for (let index = 0; index < count; index++) this.#bounds[this.#chosen[index]!] = 0; // below the count
  }

  /** What about so many of the highest scores of the chosen blocks reach. */
  #leastScore(count: number, limit: number): number {
    if (IN_A_BLOCK * count <= limit) return 0;
    const [bounds, scores, chosen, levels] = [this.#bounds, this.#scores, this.#chosen, this.#levels];
    let highest = 0;
    for (let index = 0; index < count; index++) highest = Math.max(highest, bounds[chosen[index]!]!); // below the count
    levels.begin(highest);
    for (let index = 0; index < count; index++) {
      const cell = this.#cells[chosen[index]!]!; // each has one
      for (let at = cell + 1; at < cell + IN_A_CELL; at++) levels.add(scores[at]!);
    }
    return levels.reachedBy(limit);
  }

  #offerBetween(
    least: number,
    below: number,
    { count, best, isWanted }: { count: number; best: Best; isWanted: RankOptions['isWanted'] },
  ): void {
    const scores = this.#scores;
    let threshold = least;
    for (let index = 0; index < count; index++) {
      const block = this.#chosen[index]!; // below the count
      const cell = this.#cells[block]! + 1; // each has one
      for (let offset = 0; offset < IN_A_BLOCK; offset++) {
        const score = scores[cell + offset]!;
        if (score < threshold || score >= below) continue;
        const slot = IN_A_BLOCK * block + offset;
        if (isWanted && !isWanted(slot)) continue;
        best.offer(slot, score);
        threshold = Math.max(least, best.threshold);
      }
    }
  }
}
