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

  offer(slot: number, score: number): void {
    if (this.#slots.length < this.#count) {
      this.#slots.push(slot);
      this.#scores.push(score);
      this.#rise(this.#slots.length - 1);
    } else if (this.#isWorse(0, score, slot)) {
      this.#slots[0] = slot;
      this.#scores[0] = score;
      this.#sink();
    }
  }

  /** The slots, best first. */
  ranked(): number[] {
    const order = Array.from(this.#slots.keys());
    const scores = this.#scores;
    const slots = this.#slots;
    order.sort((one, other) => {
      const by = scores[other]! - scores[one]!; // both lists have all of these
      return by === 0 ? this.#placeOf(slots[one]!) - this.#placeOf(slots[other]!) : by;
    });
    return order.map((at) => slots[at]!);
  }

  #isWorse(at: number, score: number, slot: number): boolean {
    const own = this.#scores[at]!; // the callers know that it is there
    return own === score ? this.#placeOf(this.#slots[at]!) > this.#placeOf(slot) : own < score;
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#isWorse(parent, this.#scores[at]!, this.#slots[at]!)) return;
      this.#exchange(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      if (left >= this.#slots.length) return;
      const other = right < this.#slots.length;
      const worst = other && this.#isWorse(right, this.#scores[left]!, this.#slots[left]!) ? right : left;
      if (!this.#isWorse(worst, this.#scores[at]!, this.#slots[at]!)) return;
      this.#exchange(at, worst);
      at = worst;
    }
  }

  #exchange(one: number, other: number): void {
    [this.#slots[one], this.#slots[other]] = [this.#slots[other]!, this.#slots[one]!];
    [this.#scores[one], this.#scores[other]] = [this.#scores[other]!, this.#scores[one]!];
  }
}
