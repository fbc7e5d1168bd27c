import { Best } from './best.ts';
import { impactOf, type PostingList, placeOf, slotOf } from './postings.ts';

/** A list of a term that is looked for. */
export interface Step extends PostingList {
  readonly term: number;
  /** What impact 1 adds to a score: a whole number, so that sums are exact in any order. */
  readonly factor: number;
  /** No document gets more from this list. */
  readonly most: number;
}
/** Which slots are answered, and how many. */
export interface RankOptions {
  readonly limit: number;
  readonly isWanted: (slot: number) => boolean;
  /** Decides between equal scores: the lower one comes first. */
  readonly placeOf: (slot: number) => number;
}

/** It is checked whether enough is found when what is left has shrunk to this share since the last time, */
const CHECKED_AGAIN = 0.4;
/** and the next list is so long: a share of what a check runs through. */
const WORTH_A_CHECK = 0.5;
/** What it takes to look up one slot, counted in entries of a list that is run through. */
const LOOK_UP_COST = 16;

/**
 * Finds the best slots for the terms of a query. It adds up the lists that can count most first; once the rest cannot lift a further
 * document among the best, they are looked up for the candidates only (MaxScore: Turtle and Flood 1995), which changes nothing in
 * the answer.
 */
export class Ranking {
  /** By slot; all are 0 between searches. */
  #scores = new Float64Array(0);
  /** The slots whose score is not 0. */
  #touched = new Int32Array(0);
  #count = 0;

  /** The best of the slots below `slots`, best first. The lists are as they are now, all of each term. */
  rank(lists: readonly Step[], slots: number, options: RankOptions): number[] {
    this.#makeRoom(slots);
    const steps = lists.toSorted((one, other) => other.most - one.most);
    const rest = restsOf(steps);
    let checkedAt = rest[0] ?? 0;
    let threshold = 0;
    let isClosed = false;
    for (const [nth, step] of steps.entries()) {
      const left = rest[nth]!; // one for each step
      const isWorthIt = step.end - step.start > WORTH_A_CHECK * this.#count && this.#count >= options.limit;
      if (isWorthIt && left < CHECKED_AGAIN * checkedAt) {
        checkedAt = left;
        threshold = this.#best(options, threshold).threshold;
        isClosed ||= threshold > left;
        if (isClosed) this.#drop(threshold - left);
      }
      if (isClosed) this.#addToFound(step);
      else this.#add(step);
    }
    const ranked = this.#best(options, threshold).ranked();
    this.#drop(Number.POSITIVE_INFINITY);
    return ranked;
  }

  #add({ pool, start, end, factor }: Step): void {
    const [scores, touched] = [this.#scores, this.#touched];
    let count = this.#count;
    for (let index = start; index < end; index++) {
      const posting = pool[index]!; // a list lies inside the pool
      const slot = slotOf(posting);
      const before = scores[slot]!; // there is room for every slot
      if (before === 0) touched[count++] = slot;
      scores[slot] = before + factor * impactOf(posting);
    }
    this.#count = count;
  }

  /** Adds to those that have a score already. */
  #addToFound(step: Step): void {
    const scores = this.#scores;
    const { pool, start, end, factor } = step;
    if (end - start < LOOK_UP_COST * this.#count) {
      for (let index = start; index < end; index++) {
        const posting = pool[index]!; // a list lies inside the pool
        const slot = slotOf(posting);
        if (scores[slot] !== 0) scores[slot]! += factor * impactOf(posting);
      }
      return;
    }
    for (let index = 0; index < this.#count; index++) {
      const slot = this.#touched[index]!; // below the count
      scores[slot]! += lookUp(step, slot);
    }
  }

  /** @param threshold one that the best are known to reach */
  #best({ limit, isWanted, placeOf }: RankOptions, threshold: number): Best {
    const best = new Best(limit, placeOf);
    let least = threshold;
    for (let index = 0; index < this.#count; index++) {
      const slot = this.#touched[index]!; // below the count
      const score = this.#scores[slot]!;
      if (score < least || !isWanted(slot)) continue;
      best.offer(slot, score);
      if (best.threshold > least) least = best.threshold;
    }
    return best;
  }

  /** Forgets those with a lower score. */
  #drop(least: number): void {
    const [scores, touched] = [this.#scores, this.#touched];
    let kept = 0;
    for (let index = 0; index < this.#count; index++) {
      const slot = touched[index]!; // below the count
      if (scores[slot]! < least) scores[slot] = 0;
      else touched[kept++] = slot;
    }
    this.#count = kept;
  }

  #makeRoom(slots: number): void {
    if (this.#scores.length >= slots) return;
    const room = Math.ceil(1.25 * slots);
    this.#scores = new Float64Array(room);
    this.#touched = new Int32Array(room);
  }
}

/** What the step adds to the score of the slot. */
function lookUp({ pool, start, end, factor }: Step, slot: number): number {
  const at = placeOf(slot, pool, start, end);
  return at < end && slotOf(pool[at]!) === slot ? factor * impactOf(pool[at]!) : 0;
}

/** For each step: what a document can get from it and those behind it. It stands in one list of a term at most. */
function restsOf(steps: readonly Step[]): number[] {
  const rests: number[] = [];
  const ofTerm = new Map<number, number>();
  let rest = 0;
  for (const { term, most } of steps.toReversed()) {
    rest += most - (ofTerm.get(term) ?? 0);
    ofTerm.set(term, most);
    rests.push(rest);
  }
  return rests.reverse();
}
