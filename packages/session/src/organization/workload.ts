import type { RunEngine } from '../engine/run-engine.ts';

/** Which sessions have something to do, as far as this process knows. */
export class Workload {
  /** By session: counts asks, so that one which comes during a run is not taken for done with it. */
  readonly #due = new Map<string, number>();
  #asks = 0;
  #change = Promise.withResolvers<void>();

  get isIdle(): boolean {
    return this.#due.size === 0;
  }

  isBusy(sessionId: string): boolean {
    return this.#due.has(sessionId);
  }

  /** The session was asked for. */
  asked(sessionId: string): void {
    this.#due.set(sessionId, (this.#asks += 1));
    this.changed();
  }

  /** The session is run for what was asked so far; call what this returns when it is done. */
  begun(sessionId: string): () => void {
    const ask = this.#due.get(sessionId);
    return () => {
      if (this.#due.get(sessionId) === ask) this.forget(sessionId);
    };
  }

  forget(sessionId: string): void {
    this.#due.delete(sessionId);
    this.changed();
  }

  /** Resolves with the next change. Taken before one looks, nothing is missed. */
  nextChange(): Promise<void> {
    return this.#change.promise;
  }

  /** Something has arrived or is over. */
  changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}

/** The same engine, whose asks for agents are counted, also those that it is given when it begins to be served. */
export function countedEngine(
  engine: RunEngine,
  { workload, isAgent }: { readonly workload: Workload; readonly isAgent: (sessionId: string) => boolean },
): RunEngine {
  return {
    submit: async (sessionId) => {
      if (isAgent(sessionId)) workload.asked(sessionId);
      await engine.submit(sessionId);
    },
    serve: (work) => engine.serve(work),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
