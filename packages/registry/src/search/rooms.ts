const SEGMENT_BITS = 16;
/** Entries of a segment: 256 KiB. */
const IN_A_SEGMENT = 1 << SEGMENT_BITS;
const NOTHING = new Int32Array(0);

/** Entries from `start` on, in an array that others share. */
export interface Room {
  readonly pool: Int32Array;
  readonly start: number;
}

/**
 * Hands out rooms for lists of whole numbers, and takes them back. There are rooms for 1, 2, 3, 4, 6, 8, 12, ... entries; each is given
 * again to a list of its size. Many share a segment; one that fills more has its own. Nothing is ever moved to make room.
 */
export class Rooms {
  readonly #segments: Int32Array[] = [];
  /** Segments that are free to be replaced. */
  readonly #unused: number[] = [];
  /** By size: addresses. */
  readonly #free = new Map<number, number[]>();
  #current = -1;
  #used = IN_A_SEGMENT;

  /** Valid until it is given back. */
  at(address: number): Room {
    return { pool: this.#segments[address >>> SEGMENT_BITS]!, start: address & (IN_A_SEGMENT - 1) }; // addresses come from here
  }

  /** The address of a room for `size` entries, one of the sizes. */
  take(size: number): number {
    if (size > IN_A_SEGMENT) return this.#add(size) * IN_A_SEGMENT;
    const free = this.#free.get(size)?.pop() ?? this.#cut(size);
    if (free !== undefined) return free;
    if (this.#used + size > IN_A_SEGMENT) {
      this.#giveParts(this.#current * IN_A_SEGMENT + this.#used, IN_A_SEGMENT - this.#used);
      this.#current = this.#add(IN_A_SEGMENT);
      this.#used = 0;
    }
    const address = this.#current * IN_A_SEGMENT + this.#used;
    this.#used += size;
    return address;
  }

  give(address: number, size: number): void {
    if (size > IN_A_SEGMENT) {
      this.#segments[address >>> SEGMENT_BITS] = NOTHING;
      this.#unused.push(address >>> SEGMENT_BITS);
      return;
    }
    const free = this.#free.get(size);
    if (free) free.push(address);
    else this.#free.set(size, [address]);
  }

  #add(size: number): number {
    const segment = this.#unused.pop() ?? this.#segments.length;
    this.#segments[segment] = new Int32Array(size);
    return segment;
  }

  /** From the next larger room that is free. */
  #cut(size: number): number | undefined {
    for (let larger = sizeAfter(size); larger <= IN_A_SEGMENT; larger = sizeAfter(larger)) {
      const address = this.#free.get(larger)?.pop();
      if (address === undefined) continue;
      this.#giveParts(address + size, larger - size);
      return address;
    }
    return undefined;
  }

  /** What is left over is for smaller lists. */
  #giveParts(address: number, count: number): void {
    let given = 0;
    while (given < count) {
      const size = sizeBelow(count - given);
      this.give(address + given, size);
      given += size;
    }
  }
}

/** The least room for so many. */
export function sizeFor(count: number): number {
  const below = sizeBelow(count);
  return below === count ? count : sizeAfter(below);
}

/** The next larger room. */
function sizeAfter(size: number): number {
  const power = 1 << (31 - Math.clz32(size));
  if (size < 3) return size + 1;
  return size === power ? power + (power >>> 1) : 2 * power;
}

/** The largest room that so many fill. */
function sizeBelow(count: number): number {
  const power = 1 << (31 - Math.clz32(count));
  const more = power + (power >>> 1);
  return count >= more && power > 1 ? more : power;
}
