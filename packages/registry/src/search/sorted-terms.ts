/** Numbers of terms in the alphabetical order of code units, in blocks, so that no change moves more than one block. */
export class SortedTerms {
  readonly #termOf: (id: number) => string;
  readonly #most: number;
  /** None is empty. */
  readonly #blocks: number[][] = [];

  /** A block that has more than `most` is halved. */
  constructor(termOf: (id: number) => string, most = 512) {
    this.#termOf = termOf;
    this.#most = most;
  }

  /** The term is known by then, and not in here. */
  add(id: number): void {
    const term = this.#termOf(id);
    const at = Math.max(0, this.#blockOf(term));
    const block = this.#blocks[at];
    if (!block) {
      this.#blocks.push([id]);
      return;
    }
    block.splice(this.#placeIn(block, term), 0, id);
    if (block.length > this.#most) this.#blocks.splice(at + 1, 0, block.splice(block.length >>> 1));
  }

  /** The term is still known. */
  delete(id: number): void {
    const term = this.#termOf(id);
    const at = this.#blockOf(term);
    const block = this.#blocks[at];
    const place = block ? this.#placeIn(block, term) : 0;
    if (block?.[place] !== id) return;
    block.splice(place, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Those that begin like this, in their order. */
  beginningWith(start: string): number[] {
    const found: number[] = [];
    let at = Math.max(0, this.#blockOf(start));
    let place = this.#placeIn(this.#blocks[at] ?? [], start);
    for (let block = this.#blocks[at]; block; block = this.#blocks[++at]) {
      const end = this.#endIn(block, place, start);
      for (; place < end; place++) found.push(block[place]!); // below the length
      if (end < block.length) break;
      place = 0;
    }
    return found;
  }

  /** Where those end that begin like this, of which the one at `place` is the first. */
  #endIn(block: readonly number[], place: number, start: string): number {
    const last = block.at(-1);
    if (last === undefined || this.#termOf(last).startsWith(start)) return block.length;
    let end = place;
    while (end < block.length && this.#termOf(block[end]!).startsWith(start)) end++;
    return end;
  }

  /** The last block that does not begin after the term; -1 when all do. */
  #blockOf(term: string): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#termOf(this.#blocks[middle]![0]!) <= term) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Where the term stands, or would stand. */
  #placeIn(block: readonly number[], term: string): number {
    let [low, high] = [0, block.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#termOf(block[middle]!) < term) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
