import { Worker } from 'node:worker_threads';
import type { StreamReport } from './stream-report.ts';

/** One part of the suite. */
export interface StreamPart {
  readonly kind: 'contract' | 'fixtures' | 'damage';
  readonly name: string;
  /** How many streams are damaged, and from which seed. */
  readonly count: number;
  readonly seed: number;
}

/** A part that takes so long hangs: what blocks its thread is not seen from within. */
const LIMIT_MS = 240_000;

/** Runs a part in its own thread. A part that breaks or hangs is a fault. */
export async function runPart(part: StreamPart): Promise<StreamReport> {
  const worker = new Worker(new URL('./stream-worker.ts', import.meta.url), { workerData: part });
  const end = Promise.withResolvers<StreamReport>();
  const broken = (fault: string) =>
    end.resolve({ checks: [{ name: `${part.kind}, ${part.name}`, faults: [fault] }], lines: [] });
  const timer = setTimeout(() => broken(`it hangs: not done within ${LIMIT_MS / 1000} s`), LIMIT_MS);
  worker.on('message', (report: StreamReport) => end.resolve(report));
  worker.on('error', (error: Error) => broken(error.stack ?? error.message));
  worker.on('exit', (code) => broken(`its thread ended with ${code}`));
  try {
    return await end.promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
