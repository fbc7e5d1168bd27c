import type { Gate } from './gate.ts';

/** Number of other gates checked whenever a gate is used. */
const SWEPT = 2;

/** A gate for each key. Idle ones are dropped as others are used, so that memory depends on the keys in use. */
export class KeyedGates {
  readonly #make: (key: unknown) => Gate | undefined;
  readonly #gates = new Map<unknown, Gate>();
  /** The position of the sweep. */
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

  /** Checks the gates that were not checked for longest. */
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
