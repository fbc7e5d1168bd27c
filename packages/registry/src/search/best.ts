/** Keeps the best of what it is offered, in a heap with the worst of them on top. */
export class Best {
  readonly #count: number;
  readonly #placeOf: (slot: number) => number;
  readonly #scores: number[] = [];
  readonly #slots: number[] = [];

  /** @param placeOf decides between equal scores: the lower one is better */
  constructor(count: number, placeOf: (slot: number) => number) {
    this.#count = count;
    this.#placeOf = placeOf;
  }

  /** What a score must reach; 0 as long as there is room. */
  get threshold(): number {
    return this.#slots.length < this.#count ? 0 : this.#scores[0]!; // it keeps at least one
  }

  /** At the same score, the place that another must come before; Infinity as long as there is room. */
  get worstPlace(): number {
    return this.#slots.length < this.#count ? Number.POSITIVE_INFINITY : this.#placeOf(this.#slots[0]!);
  }

  offer(slot: number, score: number): void {
    const count = this.#slots.length;
    if (count < this.#count) {
      this.#slots.push(slot);
      this.#scores.push(score);
      this.#rise(count, slot, score);
    } else if (this.#isWorse(0, slot, score)) {
      this.#sink(slot, score);
    }
  }

  /** The slots, best first; none are left. */
  ranked(): number[] {
    const ranked = this.#slots.slice();
    for (let at = ranked.length - 1; at >= 0; at--) {
      ranked[at] = this.#slots[0]!; // the worst of those that are left
      const [slot, score] = [this.#slots.pop()!, this.#scores.pop()!];
      if (at > 0) this.#sink(slot, score);
    }
    return ranked;
  }

  /** Whether the one at that place of the heap is worse. */
  #isWorse(at: number, slot: number, score: number): boolean {
    const own = this.#scores[at]!; // the callers know that it is there
    return own === score ? this.#placeOf(this.#slots[at]!) > this.#placeOf(slot) : own < score;
  }

  /** Finds the place for what came last. */
  #rise(from: number, slot: number, score: number): void {
    const scores = this.#scores;
    const slots = this.#slots;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#isWorse(parent, slot, score)) break;
      scores[at] = scores[parent]!;
      slots[at] = slots[parent]!;
      at = parent;
    }
    scores[at] = score;
    slots[at] = slot;
  }

  /** Takes the place of the worst, and finds its own. */
  #sink(slot: number, score: number): void {
    const scores = this.#scores;
    const slots = this.#slots;
    const count = slots.length;
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      const other = child + 1;
      const worst = other < count && this.#isWorse(other, slots[child]!, scores[child]!) ? other : child;
      if (!this.#isWorse(worst, slot, score)) break;
      scores[at] = scores[worst]!;
      slots[at] = slots[worst]!;
      at = worst;
    }
    scores[at] = score;
    slots[at] = slot;
  }
}
