// One thread's share of the organisations; see visible-iff-executable.verify.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { type Counted, itself, lookAt } from './visible-iff-executable.ts';

/** Every `threads`-th seed, from `first` on, below `runs`. */
export interface Share {
  readonly first: number;
  readonly threads: number;
  readonly runs: number;
}
/** What came of it. */
export interface Found extends Counted {
  readonly looked: number;
  readonly wrong: readonly string[];
}

Error.stackTraceLimit = 0; // most calls are refused, and nobody reads where
const { first, threads, runs } = workerData as Share; // safe: written by the suite
const counted: Counted = { pairs: 0, visible: 0, deepest: 0 };
const wrong: string[] = [];
let looked = 0;
for (let seed = first; seed < runs; seed += threads) {
  const fault = await lookAt(seed, itself, counted);
  looked += 1;
  if (fault !== undefined) wrong.push(fault);
}
const found: Found = { ...counted, looked, wrong };
parentPort?.postMessage(found);
