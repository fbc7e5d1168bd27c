const LEVELS = 128;

/** Finds the value that about so many of some values reach, without putting them in order: it counts them by level. */
export class Levels {
  readonly #counts = new Int32Array(LEVELS);
  #highest = 0;
  #scale = 0;

  /** Forgets earlier values. None of the next is higher than `highest`, or below 0. */
  begin(highest: number): void {
    this.#counts.fill(0);
    this.#highest = highest;
    this.#scale = (LEVELS - 1) / highest;
  }

  add(value: number): void {
    this.#counts[(this.#scale * value) | 0]!++;
  }

  /** The beginning of the level that makes them `count` with all above; 0 when there are fewer. */
  reachedBy(count: number): number {
    let reaching = 0;
    for (let level = LEVELS - 1; level > 0; level--) {
      reaching += this.#counts[level]!; // there is one for each level
      if (reaching >= count) return Math.min(this.#highest, level / this.#scale);
    }
    return 0;
  }
}
