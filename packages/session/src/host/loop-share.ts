/** Milliseconds that a long piece of work may block the event loop at a time. */
const SHARE_MS = 5;

/** Items that are handed on at a time, at most. */
const MOST = 16;

/**
 * Yields items in pages and lets the event loop run in between. The consumer's work counts for the share too: a slow one gets short pages.
 * The items before an error are yielded before it.
 */
export async function* inPages<T>(items: Iterable<T>): AsyncGenerator<readonly T[], void, void> {
  const share = new LoopShare();
  let size = 1;
  let page: T[] = [];
  try {
    for (const item of items) {
      if (page.push(item) < size && !share.isOver) continue;
      yield page;
      page = [];
      size = Math.min(size * 2, MOST);
      if (!share.isOver) continue;
      await share.give();
      size = 1;
    }
  } catch (error) {
    if (page.length > 0) yield page;
    throw error;
  }
  if (page.length > 0) yield page;
}

/** Yields items one by one, and lets the event loop run in between: items that may have to be awaited, or may all be there already. */
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
