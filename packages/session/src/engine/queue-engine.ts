import { backoffMs, messageOf } from '@x/core/internal';
import type { Ask, AskQueue } from './ask-queue.ts';
import { Bell } from './bell.ts';
import type { LocalEngineOptions } from './local-engine.ts';
import { assertSessionId, assertWork, engineClosed } from './refusals.ts';
import type { RunEngine, SessionWork } from './run-engine.ts';
import { type Job, leastBusy, type Server, stopJobs } from './servers.ts';

/** Options of a `QueueEngine`. */
export interface QueueEngineOptions<Taken extends Ask> extends LocalEngineOptions {
  /** Called with the first use, and again after a failure. */
  readonly open: () => Promise<AskQueue<Taken>>;
  /** Milliseconds between two looks into the queue while it is empty. */
  readonly pollEveryMs: number;
  /** Milliseconds between two calls of `keep`. */
  readonly keepEveryMs: number;
}

/**
 * An engine over a queue that several processes share. One taken ask is one whole run. Asks that were rejected, or cut off, are put back before
 * they are removed: a crash between the two leaves one too many, which finds nothing to do.
 */
export class QueueEngine<Taken extends Ask> implements RunEngine {
  readonly #options: QueueEngineOptions<Taken>;
  readonly #concurrency: number;
  readonly #delays: { readonly baseMs: number; readonly maxMs: number };
  readonly #servers = new Set<Server>();
  /** By session. */
  readonly #running = new Map<string, Taken>();
  readonly #bell = new Bell();
  #queue: Promise<AskQueue<Taken>> | undefined;
  #feeding: Promise<void> | undefined;
  #keeping: NodeJS.Timeout | undefined;
  #isAway = false;
  #closing: Promise<void> | undefined;

  constructor(options: QueueEngineOptions<Taken>) {
    const { concurrency = 8, retryDelay = 1_000, maxRetryDelay = 30_000 } = options;
    this.#options = options;
    this.#concurrency = concurrency;
    this.#delays = { baseMs: retryDelay, maxMs: maxRetryDelay };
  }

  async submit(sessionId: string): Promise<void> {
    assertSessionId(sessionId);
    const queue = await this.#open();
    await queue.put({ sessionId, failures: 0 }, 0);
    this.#bell.ring();
  }

  async serve(work: SessionWork): Promise<AsyncDisposable> {
    assertWork(work);
    const queue = await this.#open();
    const server: Server = { work, jobs: new Set() };
    this.#servers.add(server);
    this.#feeding ??= this.#feed(queue);
    return { [Symbol.asyncDispose]: () => this.#leave(server) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** @throws SessionError when the engine was closed, and errors of the queue */
  async #open(): Promise<AskQueue<Taken>> {
    if (this.#closing) throw engineClosed();
    this.#queue ??= this.#options.open().catch((error: unknown) => {
      this.#queue = undefined; // the next use tries again
      throw error;
    });
    const queue = await this.#queue;
    if (this.#closing) throw engineClosed();
    return queue;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => this.#leave(server)));
    const queue = await this.#queue?.catch(() => undefined);
    await queue?.close();
  }

  async #leave(server: Server): Promise<void> {
    this.#servers.delete(server);
    this.#bell.ring();
    await stopJobs(server);
    // What it is just taking goes back.
    if (this.#servers.size === 0) await this.#feeding;
  }

  /** Takes asks while anybody serves. */
  async #feed(queue: AskQueue<Taken>): Promise<void> {
    while (this.#servers.size > 0) {
      const free = this.#concurrency - this.#running.size;
      const taken = free > 0 ? await this.#take(queue, free) : [];
      await Promise.all(taken.map((ask) => this.#begin(queue, ask)));
      if (taken.length === 0) await this.#bell.wait(this.#options.pollEveryMs);
    }
    this.#feeding = undefined;
  }

  async #take(queue: AskQueue<Taken>, most: number): Promise<readonly Taken[]> {
    try {
      const taken = await queue.take(most);
      this.#isAway = false;
      return taken;
    } catch (error) {
      this.#reportQueue(error);
      return [];
    }
  }

  /** Resolves when the work has begun, or the ask is back in the queue. */
  async #begin(queue: AskQueue<Taken>, ask: Taken): Promise<void> {
    const server = leastBusy(this.#servers);
    // A process that was paused may have lost its ask to itself.
    const isRunning = this.#running.has(ask.sessionId);
    if (!server || isRunning)
      return this.#putBack(queue, ask, { ...ask, delayMs: isRunning ? this.#delays.baseMs : 0 });
    this.#running.set(ask.sessionId, ask);
    this.#keeping ??= setInterval(() => void this.#keep(queue), this.#options.keepEveryMs);
    const abort = new AbortController();
    const run = Promise.resolve().then(() => this.#run(queue, ask, server.work, abort.signal));
    const job: Job = { abort, done: run.then(() => this.#end(server, job, ask)) };
    server.jobs.add(job);
  }

  async #run(queue: AskQueue<Taken>, ask: Taken, work: SessionWork, signal: AbortSignal): Promise<void> {
    const { sessionId, failures } = ask;
    try {
      await work(sessionId, signal);
    } catch (error) {
      // Aborted by us, it has not failed.
      if (signal.aborted) return this.#putBack(queue, ask, { failures, delayMs: 0 });
      this.#reportRun(error, sessionId);
      return this.#putBack(queue, ask, { failures: failures + 1, delayMs: backoffMs(failures + 1, this.#delays) });
    }
    await queue.done(ask).catch((error: unknown) => this.#reportQueue(error));
  }

  /** If it fails, the ask comes back by itself when nobody says that it is being worked on. */
  async #putBack(
    queue: AskQueue<Taken>,
    ask: Taken,
    { failures, delayMs }: { readonly failures: number; readonly delayMs: number },
  ): Promise<void> {
    try {
      await queue.put({ sessionId: ask.sessionId, failures }, delayMs);
      await queue.done(ask);
    } catch (error) {
      this.#reportQueue(error);
    }
  }

  #end(server: Server, job: Job, { sessionId }: Taken): void {
    server.jobs.delete(job);
    this.#running.delete(sessionId);
    if (this.#running.size === 0) {
      clearInterval(this.#keeping);
      this.#keeping = undefined;
    }
    this.#bell.ring();
  }

  async #keep(queue: AskQueue<Taken>): Promise<void> {
    await queue.keep([...this.#running.values()]).catch((error: unknown) => this.#reportQueue(error));
  }

  #reportRun(error: unknown, sessionId: string): void {
    const { onError } = this.#options;
    if (onError) queueMicrotask(() => onError(error, sessionId));
  }

  /** Once until the queue answers again. */
  #reportQueue(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    if (this.#options.onError) this.#reportRun(error, '');
    else process.emitWarning(messageOf(error), 'RunEngineWarning');
  }
}
