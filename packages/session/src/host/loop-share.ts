/** Milliseconds that a long piece of work may block the event loop at a time. */
const SHARE_MS = 5;

/** Yields items and lets the event loop run in between; the consumer's work counts for the share too. */
export async function* inShares<T>(items: Iterable<T>): AsyncGenerator<T, void, void> {
  const share = new LoopShare();
  for (const item of items) {
    if (share.isOver) await share.give();
    yield item;
  }
}

/** The same for items that may have to be awaited; all may be there already. */
export async function* inSharesAsync<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const share = new LoopShare();
  for await (const item of items) {
    if (share.isOver) await share.give();
    yield item;
  }
}

/** Runs the steps and lets the event loop run in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  const share = new LoopShare();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (share.isOver) await share.give();
  }
}

/** Runs the same steps without a pause. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Measures the share of the event loop that long work takes. */
class LoopShare {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= SHARE_MS;
  }

  /** Resolves when all other work has had its turn. */
  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
