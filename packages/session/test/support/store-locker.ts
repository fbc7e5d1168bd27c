import { Worker } from 'node:worker_threads';

/** What is held for how long, in milliseconds, and whether it is. */
const [ASKED, HELD] = [0, 1];

const CODE = `
  const { DatabaseSync } = require('node:sqlite');
  const { path, begin, state } = require('node:worker_threads').workerData;
  for (;;) {
    Atomics.wait(state, ${ASKED}, 0);
    const database = new DatabaseSync(path, { timeout: 1000 });
    database.exec(begin);
    Atomics.store(state, ${HELD}, 1);
    Atomics.notify(state, ${HELD});
    Atomics.wait(state, ${HELD}, 1, Atomics.exchange(state, ${ASKED}, 0));
    database.exec('commit');
    database.close();
    Atomics.store(state, ${HELD}, 0);
  }`;

/** Another connection, in a thread of its own: it goes on while this thread is blocked. */
export class StoreLocker implements AsyncDisposable {
  readonly #state = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;

  /** `begin` takes the lock; by default that of the whole file. */
  constructor(path: string, begin = 'begin exclusive') {
    this.#worker = new Worker(CODE, { eval: true, workerData: { path, begin, state: this.#state } });
  }

  /** The lock is held when this returns, and given back so many milliseconds later. */
  holdFor(ms: number): void {
    Atomics.store(this.#state, ASKED, ms);
    Atomics.notify(this.#state, ASKED);
    Atomics.wait(this.#state, HELD, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
