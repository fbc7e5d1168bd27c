import type { SessionStore } from '../../src/index.ts';

export interface Stop {
  /** The point, counted from 1, that is the last one. */
  readonly at: number;
  /** Whether a store operation at that point is still done; nobody hears of it either way. */
  readonly applied: boolean;
}

/**
 * A process that ends at a chosen point, without a process: from that point on no operation of its store is done, and nothing it
 * waits for ever comes back. What it leaves hanging is garbage. Without a stop it lives on and counts its points.
 */
export class Life {
  readonly #stop: Stop | undefined;
  readonly #end: () => void;
  /** Resolves at the chosen point. */
  readonly ended: Promise<void>;
  #points = 0;
  #over = false;
  /** What the last point was. */
  last = '';

  constructor(stop?: Stop) {
    this.#stop = stop;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Points so far. */
  get points(): number {
    return this.#points;
  }

  /** Goes through one point: a store operation, or a step of a tool or the model. */
  async through<R>(what: string, operation: () => Promise<R>): Promise<R> {
    if (this.#over) return await never();
    this.#points += 1;
    this.last = what;
    if (this.#points === this.#stop?.at) {
      this.#over = true;
      if (this.#stop.applied) await operation().catch(() => undefined);
      this.#end();
      return await never();
    }
    const value = await operation();
    // Done, but the process has ended meanwhile and does not hear of it.
    return this.#over ? await never() : value;
  }

  /** A point outside of the store. */
  pass(what: string): Promise<void> {
    return this.through(what, async () => undefined);
  }
}

/** The store as this process sees it: each operation is a point. */
export function livingStore(store: SessionStore, life: Life): SessionStore {
  const through =
    <A extends unknown[], R>(name: string, operation: (...values: A) => Promise<R>) =>
    (...values: A): Promise<R> =>
      life.through(name, () => operation(...values));
  return {
    ...store,
    create: through('create', store.create),
    acquire: through('acquire', store.acquire),
    renew: through('renew', store.renew),
    release: through('release', store.release),
    append: through('append', store.append),
    enqueue: through('enqueue', store.enqueue),
    inbox: through('inbox', store.inbox),
    async *read(sessionId, range) {
      await life.pass('read');
      yield* store.read(sessionId, range);
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
