/** Counts what passed and what failed; the last line and the exit code come from it. */
export class Tally {
  #passed = 0;
  #failed = 0;

  /** One check; its faults are told, its success is only counted. */
  check(name: string, faults: readonly string[]): void {
    if (faults.length === 0) {
      this.#passed += 1;
      return;
    }
    this.#failed += 1;
    console.log(`FAILED ${name}`);
    for (const fault of faults.slice(0, 10)) console.log(`  ${fault.slice(0, 400)}`);
  }

  /** To be called last. */
  end(): void {
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    process.exitCode = this.#failed === 0 ? 0 : 1;
  }
}

/** A whole number from the environment. */
export function numberFrom(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number from 0`);
  return value;
}

/** Whether `npm run verify -- --whole` was asked for; else each suite has a share of its size. */
export const IS_WHOLE: boolean = process.env['VERIFY_WHOLE'] === '1';
const SHARE = 0.2;

/** How often, how many: what the variable of this name says, or else a share of the whole. */
export function amountFrom(name: string, whole: number): number {
  return numberFrom(name, IS_WHOLE ? whole : Math.ceil(whole * SHARE));
}

/** From one point to the next, where every point is tried in the whole. */
const STRIDE: number = IS_WHOLE ? 1 : 5;

/** The points from 1 to the last. */
export function pointsUpTo(last: number): readonly number[] {
  return Array.from({ length: Math.ceil(last / STRIDE) }, (_, index) => 1 + index * STRIDE);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
