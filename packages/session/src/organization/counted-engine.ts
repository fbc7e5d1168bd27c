import type { RunEngine } from '../engine/run-engine.ts';
import type { Workload } from './workload.ts';

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
