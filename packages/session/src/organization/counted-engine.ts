import type { RunEngine } from '../engine/run-engine.ts';
import type { Workload } from './workload.ts';

/** Wraps an engine to count its asks for agents, also those it already has when serving begins. */
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
