/** Milliseconds for which a long piece of work keeps the event loop at a time. */
const SHARE_MS = 5;

/** Hands items on, with others in between: also what is done with one counts for the share. */
export async function* inShares<T>(items: Iterable<T>): AsyncGenerator<T, void, void> {
  const share = new LoopShare();
  for (const item of items) {
    if (share.isOver) await share.give();
    yield item;
  }
}

/** The same for items that have to be waited for: they may all be there already. */
export async function* inSharesAsync<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const share = new LoopShare();
  for await (const item of items) {
    if (share.isOver) await share.give();
    yield item;
  }
}

/** Does the steps with others in between. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  const share = new LoopShare();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (share.isOver) await share.give();
  }
}

/** Does the same steps without a pause. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The event loop, of which long work takes its share. */
class LoopShare {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= SHARE_MS;
  }

  /** Resolves when all others have had their turn. */
  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
