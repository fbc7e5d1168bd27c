/** Distinct numbers, or texts by their code units, in order: in blocks, so that no change moves more than one block. */
export class SortedBlocks<T extends number | string> {
  readonly #most: number;
  /** None is empty. */
  readonly #blocks: T[][] = [];
  size = 0;

  /** A block with more than `most` values is halved. */
  constructor(most = 512) {
    this.#most = most;
  }

  /** In order; must not be changed. */
  get blocks(): readonly (readonly T[])[] {
    return this.#blocks;
  }

  /** Adds a value that is not in it. */
  add(value: T): void {
    const at = Math.min(this.#blockOf(value), this.#blocks.length - 1);
    const block = this.#blocks[at];
    this.size += 1;
    if (!block) {
      this.#blocks.push([value]);
      return;
    }
    block.splice(placeIn(block, value), 0, value);
    if (block.length > this.#most) this.#blocks.splice(at + 1, 0, block.splice(block.length >>> 1));
  }

  /** Removes a value that is in it. */
  delete(value: T): void {
    const at = this.#blockOf(value);
    const block = this.#blocks[at]!; // it has the value
    block.splice(placeIn(block, value), 1);
    this.size -= 1;
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Yields `start`, if present, and all values after it, in order. */
  *from(start: T): Generator<T, void, void> {
    for (let at = this.#blockOf(start); at < this.#blocks.length; at++) {
      for (const value of this.#blocks[at]!) if (value >= start) yield value;
    }
  }

  /** The index of the first block whose last value is not before this one. */
  #blockOf(value: T): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.at(-1)! < value)
        low = middle + 1; // none is empty
      else high = middle;
    }
    return low;
  }
}

function placeIn<T extends number | string>(block: readonly T[], value: T): number {
  let [low, high] = [0, block.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block[middle]! < value)
      low = middle + 1; // between 0 and the length
    else high = middle;
  }
  return low;
}
