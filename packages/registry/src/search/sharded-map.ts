/** A power of two. */
const SHARES = 128;

/** A map of many texts. A single map would stall when it grows; one share does so only for a moment. */
export class ShardedMap<V> {
  readonly #shares = Array.from({ length: SHARES }, () => new Map<string, V>());

  get(key: string): V | undefined {
    return this.#shareOf(key).get(key);
  }

  set(key: string, value: V): void {
    this.#shareOf(key).set(key, value);
  }

  delete(key: string): void {
    this.#shareOf(key).delete(key);
  }

  /** By its ends and its middle: many texts differ only in a number at the end. */
  #shareOf(key: string): Map<string, V> {
    const { length } = key;
    const ends = 31 * key.charCodeAt(0) + 17 * key.charCodeAt(length - 1);
    const inner = length > 2 ? 7 * key.charCodeAt(length - 2) + key.charCodeAt(length >>> 1) : 0;
    return this.#shares[(ends + inner + length) & (SHARES - 1)]!; // below SHARES
  }
}
