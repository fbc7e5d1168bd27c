import { backoffMs, LONGEST_TIMER_MS } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { assertSessionId, assertWork, engineClosed } from './refusals.ts';
import type { RunEngine, SessionWork } from './run-engine.ts';
import { type Job, leastBusy, type Server, stopJobs } from './servers.ts';

/** Options of `localEngine`. */
export interface LocalEngineOptions {
  /** Sessions that run at a time, over all that serve together; default 8. */
  readonly concurrency?: number;
  /** Milliseconds after a first rejection, doubled with each further one of the same session, with jitter; default 1000. */
  readonly retryDelay?: number;
  /** The longest delay in milliseconds; default 30000. */
  readonly maxRetryDelay?: number;
  /** Called with each rejection before the session waits for its next turn. An error that it throws is uncaught. */
  readonly onError?: (error: unknown, sessionId: string) => void;
}

/**
 * Creates an engine in this process: asks are in memory and lost with it, messages are in the store. Closed by the caller: disposing it
 * ends every `serve` and leaves no timer.
 */
export function localEngine(options: LocalEngineOptions = {}): RunEngine {
  return new LocalEngine(options);
}

/** A session that was asked for. */
interface Ask {
  readonly sessionId: string;
  state: 'ready' | 'running' | 'resting';
  /** Asked for again while it ran. */
  again: boolean;
  /** Rejections since it was last done. */
  failures: number;
  timer?: NodeJS.Timeout;
}

class LocalEngine implements RunEngine {
  readonly #concurrency: number;
  readonly #delays: { readonly baseMs: number; readonly maxMs: number };
  readonly #onError: LocalEngineOptions['onError'];
  readonly #asks = new Map<string, Ask>();
  /** Asks that are ready, in the order in which they became so. */
  readonly #ready = new Set<Ask>();
  readonly #servers = new Set<Server>();
  #running = 0;
  #closing: Promise<void> | undefined;

  constructor(options: LocalEngineOptions) {
    checkOptions('The options', options, ENGINE_OPTIONS);
    const { concurrency = 8, retryDelay = 1_000, maxRetryDelay = 30_000, onError } = options;
    this.#concurrency = concurrency;
    this.#delays = { baseMs: retryDelay, maxMs: maxRetryDelay };
    this.#onError = onError;
  }

  async submit(sessionId: string): Promise<void> {
    this.#assertOpen();
    assertSessionId(sessionId);
    const ask = this.#asks.get(sessionId);
    if (!ask) this.#makeReady({ sessionId, state: 'ready', again: false, failures: 0 });
    else if (ask.state === 'running') ask.again = true;
  }

  async serve(work: SessionWork): Promise<AsyncDisposable> {
    this.#assertOpen();
    assertWork(work);
    const server: Server = { work, jobs: new Set() };
    this.#servers.add(server);
    this.#start();
    return { [Symbol.asyncDispose]: () => this.#leave(server) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => this.#leave(server)));
    this.#asks.clear();
    this.#ready.clear();
  }

  /** Safe to call twice: both wait for the work under way. */
  async #leave(server: Server): Promise<void> {
    this.#servers.delete(server);
    // With nobody serving there is nothing to delay.
    if (this.#servers.size === 0)
      for (const ask of this.#asks.values()) if (ask.state === 'resting') this.#makeReady(ask);
    await stopJobs(server);
  }

  #makeReady(ask: Ask): void {
    clearTimeout(ask.timer);
    delete ask.timer;
    ask.state = 'ready';
    this.#asks.set(ask.sessionId, ask);
    this.#ready.add(ask);
    this.#start();
  }

  /** Starts as much as may run now. */
  #start(): void {
    for (const ask of this.#ready) {
      const server = leastBusy(this.#servers);
      if (!server || this.#running >= this.#concurrency) return;
      this.#ready.delete(ask);
      ask.state = 'running';
      ask.again = false;
      this.#running += 1;
      const abort = new AbortController();
      // After the caller of `submit` or `serve` has its answer.
      const run = Promise.resolve().then(() => this.#run(ask, server.work, abort.signal));
      const job: Job = { abort, done: run.then(() => this.#end(server, job)) };
      server.jobs.add(job);
    }
  }

  async #run(ask: Ask, work: SessionWork, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return this.#makeReady(ask);
    try {
      await work(ask.sessionId, signal);
      ask.failures = 0;
      if (ask.again) this.#makeReady(ask);
      else this.#asks.delete(ask.sessionId);
    } catch (error) {
      // Aborted by us, it has not failed.
      if (signal.aborted) this.#makeReady(ask);
      else this.#rest(ask, error);
    }
  }

  #end(server: Server, job: Job): void {
    server.jobs.delete(job);
    this.#running -= 1;
    this.#start();
  }

  /** Retries the session later. */
  #rest(ask: Ask, error: unknown): void {
    ask.failures += 1;
    ask.state = 'resting';
    ask.timer = setTimeout(() => this.#makeReady(ask), backoffMs(ask.failures, this.#delays));
    const onError = this.#onError;
    if (onError) queueMicrotask(() => onError(error, ask.sessionId));
  }

  #assertOpen(): void {
    if (this.#closing) throw engineClosed();
  }
}

const WAIT = is.finiteMilliseconds(LONGEST_TIMER_MS);
/** Rules of the options that all engines have. */
export const ENGINE_OPTIONS: OptionRules<LocalEngineOptions> = {
  concurrency: is.count(),
  retryDelay: WAIT,
  maxRetryDelay: WAIT,
  onError: is.callback,
};
