const FIRST_MS = 50;
const MOST_MS = 10_000;

/** Runs a task some time after it was asked for, once for many askings; who asks again and again waits longer. */
export class Refresher {
  readonly #task: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isAsked = false;
  #waitMs = FIRST_MS;
  #lastEnd = Number.NEGATIVE_INFINITY;

  /** The task must not reject. */
  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  ask(): void {
    if (this.#isRunning) this.#isAsked = true;
    else if (this.#timer === undefined) this.#begin();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isAsked = false;
  }

  #begin(): void {
    const isQuiet = performance.now() - this.#lastEnd > MOST_MS;
    this.#waitMs = isQuiet ? FIRST_MS : Math.min(this.#waitMs * 2, MOST_MS);
    this.#timer = setTimeout(() => void this.#run(), this.#waitMs); // never rejects
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isRunning = true;
    await this.#task();
    this.#isRunning = false;
    this.#lastEnd = performance.now();
    if (!this.#isAsked) return;
    this.#isAsked = false;
    this.#begin();
  }
}
