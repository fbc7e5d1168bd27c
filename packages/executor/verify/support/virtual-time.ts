interface Timer {
  readonly id: object;
  readonly run: () => void;
}

/** Time that passes only when nothing else is to be done: stands in for the timers and the clock of this process. */
export class VirtualTime {
  readonly #real = { setTimeout, clearTimeout, setImmediate, performance };
  readonly #timers = new Map<number, Timer[]>();
  readonly #live = new Set<object>();
  #nowMs = 0;

  install(): void {
    const set = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
      const id = {};
      const atMs = this.#nowMs + ms;
      const timer = { id, run: () => run(...values) };
      this.#timers.set(atMs, [...(this.#timers.get(atMs) ?? []), timer]);
      this.#live.add(id);
      return id;
    };
    const clear = (id: object | undefined) => void (id && this.#live.delete(id));
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    Object.defineProperty(globalThis, 'performance', { value: { now: () => this.#nowMs }, configurable: true });
  }

  uninstall(): void {
    const { setTimeout: set, clearTimeout: clear, performance: clock } = this.#real;
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    Object.defineProperty(globalThis, 'performance', { value: clock, configurable: true, writable: true });
  }

  /** Timers that were neither cleared nor have run. */
  get waiting(): number {
    return this.#live.size;
  }

  /** Lets time pass until no timer is left. */
  async pass(): Promise<void> {
    await this.#quiet();
    while (this.#timers.size > 0) {
      this.#nowMs = Math.min(...this.#timers.keys());
      const due = this.#timers.get(this.#nowMs) ?? [];
      this.#timers.delete(this.#nowMs);
      for (const { id, run } of due) {
        if (!this.#live.delete(id)) continue;
        run();
        await this.#quiet();
      }
    }
  }

  async #quiet(): Promise<void> {
    await new Promise((resolve) => this.#real.setImmediate(resolve));
  }
}
