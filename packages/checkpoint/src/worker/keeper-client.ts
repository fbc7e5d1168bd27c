import { Worker } from 'node:worker_threads';
import { AgentError } from '@x/errors';
import type { Keeper, KeeperOptions } from '../store/keeper.ts';

type Methods = { [K in keyof Keeper]: Keeper[K] };

export interface KeeperQuestion {
  readonly id: number;
  readonly method: keyof Methods;
  readonly values: readonly unknown[];
}
export interface KeeperAnswer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly code: string };
}

const NO_THREAD = 'their thread is not in this bundle; leave @x/checkpoint out of it, as an external package';

/** A `Keeper` in a thread. The process is kept alive only while it is asked something. */
export class KeeperClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #lost: AgentError | undefined;

  /** @param here The address of this module; in a bundle for CommonJS there is none. @throws AgentError `CHECKPOINT_CLOSED` */
  constructor(options: KeeperOptions, here: string = String(import.meta.url)) {
    const [program, ...flags] = here.endsWith('.ts')
      ? ['./keeper-thread.ts', '--conditions=@x/source'] // as it is tested
      : ['./worker/keeper-thread.js'];
    const place = URL.parse(program, here);
    if (!place) throw closed(NO_THREAD);
    const execArgv = ['--no-warnings', ...flags];
    this.#worker = new Worker(place, { workerData: options, execArgv });
    this.#worker.on('message', ({ id, value, error }: KeeperAnswer) => {
      const waiting = this.#waiting.get(id);
      if (error) waiting?.reject(new AgentError(error.message, { code: error.code }));
      else waiting?.resolve(value);
      this.#forget(id);
    });
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(error.code?.endsWith('MODULE_NOT_FOUND') ? NO_THREAD : error.message),
    );
    this.#worker.on('exit', () => this.#fail('its thread has ended'));
    this.#worker.unref();
  }

  async ask<M extends keyof Methods>(method: M, ...values: Parameters<Methods[M]>): Promise<ReturnType<Methods[M]>> {
    if (this.#lost) throw this.#lost;
    const id = (this.#asked += 1);
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#worker.ref();
    this.#worker.postMessage({ id, method, values } satisfies KeeperQuestion);
    return (await waiting.promise) as ReturnType<Methods[M]>; // safe: the answer of this method
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(why: string): void {
    this.#lost ??= closed(why);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#lost);
    this.#waiting.clear();
  }
}

function closed(why: string): AgentError {
  return new AgentError(`The checkpoints cannot be asked any more: ${why}`, { code: 'CHECKPOINT_CLOSED' });
}
