import type { Gate } from './gate.ts';

/** How many of the others are looked at when a gate is used. */
const SWEPT = 2;

/** A gate for each key. Those that are idle are forgotten as others are used, so that memory goes with the keys in use. */
export class KeyedGates {
  readonly #make: (key: unknown) => Gate | undefined;
  readonly #gates = new Map<unknown, Gate>();
  /** Where the sweep stands. */
  #order = this.#gates.entries();

  /** `make` returns undefined for a key without a limit. */
  constructor(make: (key: unknown) => Gate | undefined) {
    this.#make = make;
  }

  get size(): number {
    return this.#gates.size;
  }

  at(key: unknown): Gate | undefined {
    this.#sweep();
    const known = this.#gates.get(key);
    if (known) return known;
    const made = this.#make(key);
    if (made) this.#gates.set(key, made);
    return made;
  }

  /** Looks at those that were not looked at for longest. */
  #sweep(): void {
    for (let left = SWEPT; left > 0; left--) {
      const step = this.#order.next();
      if (step.done) {
        this.#order = this.#gates.entries(); // all over again
        return;
      }
      const [key, gate] = step.value;
      if (gate.idle) this.#gates.delete(key);
    }
  }
}
