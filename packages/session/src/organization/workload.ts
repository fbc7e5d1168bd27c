import type { RunEngine } from '../engine/run-engine.ts';

/** Which sessions have something to do, as far as this process knows. */
export class Workload {
  /** By session, the number of its last ask: an ask that comes during a run outlives that run. */
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

  /** Marks the session as run for all asks so far; call the returned function when it is done. */
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

  /** Resolves with the next change. Call it before looking, so that no change is missed. */
  nextChange(): Promise<void> {
    return this.#change.promise;
  }

  /** Reports that something has arrived or is over. */
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
