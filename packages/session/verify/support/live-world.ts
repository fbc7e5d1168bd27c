import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createSession, type ISession, type SessionEvent, type SessionStore, watchSession } from '../../src/index.ts';
import { type PostgresStoreOptions, postgresStore } from '../../src/postgres/index.ts';
import { channelOf } from '../../src/postgres/live-parts.ts';
import { answeringModel } from '../../test/support/engine-world.ts';
import { isRecord, toldRecords } from '../../test/support/followed.ts';
import { bodiesOf } from '../../test/support/makers.ts';
import { judgePieces, type Pieces } from '../../test/support/told-pieces.ts';
import type { LiveWorkerNote, LiveWorkerOptions } from './live-worker.ts';
import type { PostgresServer } from './postgres-server.ts';
import { end, leave, startWorker } from './served-process.ts';

/** What a reader does beside the runs. */
export interface Reading {
  /** Milliseconds before it comes. */
  readonly delayMs?: number;
  /** Milliseconds that it takes for each event. */
  readonly slowMs?: number;
  /** Events after which it leaves, and comes again. */
  readonly leavesAfter?: number;
}
/** A reader, by what it was told in each of its visits. */
export interface Reader {
  readonly session: number;
  readonly visits: SessionEvent[][];
  readonly done: Promise<void>;
}
const PATIENCE_MS = 120_000;

/** Waits for it. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const limit = performance.now() + PATIENCE_MS; !(await isSo()); await sleep(20))
    if (performance.now() > limit) throw new Error(`Not within ${PATIENCE_MS} ms: ${isSo.toString().slice(0, 200)}`);
}

/** Sessions in a database of their own, workers in processes that run them, and readers here. */
export class LiveWorld {
  readonly sessions: readonly ISession[];
  readonly store: SessionStore;
  /** Warnings of workers. */
  readonly warnings: string[] = [];
  /** Of the database. */
  readonly url: string;
  readonly #over = new AbortController();
  readonly #stores: SessionStore[] = [];
  readonly #readers: Reader[] = [];
  readonly workers: ChildProcess[] = [];

  private constructor(url: string, store: SessionStore, sessions: readonly ISession[]) {
    this.url = url;
    this.store = store;
    this.sessions = sessions;
  }

  static async make(server: PostgresServer, database: string, sessions = 2): Promise<LiveWorld> {
    const client = new Client(server.url);
    await client.connect();
    await client.query(`create database ${database}`);
    await client.end();
    const url = server.url.replace('/postgres?', `/${database}?`);
    const store = postgresStore({ connectionString: url, connections: 3, liveConnectionString: false });
    const made = Array.from({ length: sessions }, () => createSession({ provider: answeringModel, model: 'm', store }));
    return new LiveWorld(url, store, await Promise.all(made));
  }

  get database(): string {
    return /\/(trial_\d+)\?/.exec(this.url)?.[1] ?? '';
  }

  async startWorker(options: Omit<LiveWorkerOptions, 'url'> = {}): Promise<ChildProcess> {
    const worker = await startWorker([JSON.stringify({ url: this.url, ...options })], 'live-worker.ts');
    worker.on('message', (note: LiveWorkerNote) => {
      if (typeof note === 'object') this.warnings.push(note.warning);
    });
    this.workers.push(worker);
    return worker;
  }

  /** A store as another process has it. */
  open(options: PostgresStoreOptions = {}): SessionStore {
    const store = postgresStore({ connectionString: this.url, connections: 2, ...options });
    this.#stores.push(store);
    return store;
  }

  /** Follows the session of this number until the end of the world. */
  read(session: number, store: SessionStore, reading: Reading = {}, onEvent?: (event: SessionEvent) => void): Reader {
    const visits: SessionEvent[][] = [];
    const reader = { session, visits, done: this.#read({ session, visits }, store, reading, onEvent) };
    this.#readers.push(reader);
    return reader;
  }

  async #read(
    { session, visits }: Pick<Reader, 'session' | 'visits'>,
    store: SessionStore,
    { delayMs = 0, slowMs = 0, leavesAfter = 0 }: Reading,
    onEvent: (event: SessionEvent) => void = () => undefined,
  ): Promise<void> {
    const { signal } = this.#over;
    const { sessionId } = this.sessions[session]!;
    await sleep(delayMs);
    while (!signal.aborted) {
      const from = visits.flat().at(-1)?.cursor;
      const visit: SessionEvent[] = [];
      visits.push(visit);
      for await (const event of watchSession({ store, sessionId, signal, ...(from === undefined ? {} : { from }) })) {
        visit.push(event);
        onEvent(event);
        if (slowMs > 0) await sleep(slowMs);
        if (visit.length === leavesAfter) break;
      }
    }
  }

  /** Sends, and waits for the end of the run. */
  async run(session: number): Promise<void> {
    const before = (await this.#ends())[session] ?? 0;
    await this.sessions[session]!.send('Go.');
    await until(async () => ((await this.#ends())[session] ?? 0) > before);
  }

  /** Waits until nothing waits and no run is open. */
  async settle(): Promise<void> {
    await until(
      async () => (await this.store.backlog?.())?.sessions === 0 && (await this.store.held?.())?.length === 0,
    );
  }

  async #ends(): Promise<number[]> {
    const logs = this.sessions.map(({ sessionId }) => bodiesOf(this.store, sessionId));
    return (await Promise.all(logs)).map((bodies) => bodies.filter(({ type }) => type === 'run_ended').length);
  }

  /** Waits until each reader has come to the end of its log; what is wrong with what they were told, and how much that was. */
  async judge(): Promise<Pieces> {
    const faults: string[] = [];
    let [whole, begun, lost] = [0, 0, 0];
    for (const { session, visits } of this.#readers) {
      const expected = (await toldRecords(this.store, this.sessions[session]!.sessionId)).map(({ cursor }) => cursor);
      const told = () =>
        visits
          .flat()
          .filter(isRecord)
          .map(({ cursor }) => cursor);
      await until(async () => told().length >= expected.length).catch(() => undefined); // told below
      if (told().join() !== expected.join()) faults.push(`told ${told().length} records of ${expected.length}`);
      for (const visit of visits) {
        const judged = judgePieces(visit);
        faults.push(...judged.faults);
        whole += judged.whole;
        begun += judged.begun;
        lost += judged.lost;
      }
    }
    return { faults, whole, begun, lost };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#readers.map(({ done }) => done));
    for (const worker of this.workers) if (worker.exitCode === null && worker.signalCode === null) await leave(worker);
    for (const session of this.sessions) await session.close();
    for (const store of [this.store, ...this.#stores]) await store[Symbol.asyncDispose]();
  }

  async kill(worker: ChildProcess): Promise<void> {
    this.workers.splice(this.workers.indexOf(worker), 1);
    await end(worker);
  }

  /** Hears what is notified, and says of nobody that it listens: on the channels of the sessions, and on the common one. */
  async count(): Promise<{ ofSessions: number; common: number; [Symbol.asyncDispose](): Promise<void> }> {
    const client = new Client(this.url);
    await client.connect();
    const [common, ...channels] = ['', ...this.sessions.map(({ sessionId }) => sessionId)].map((id) =>
      channelOf('agent_sdk', id),
    );
    for (const channel of [common, ...channels]) await client.query(`listen ${channel}`);
    const counts = { ofSessions: 0, common: 0, [Symbol.asyncDispose]: () => client.end() };
    client.on('notification', ({ channel }) => void (channel === common ? counts.common++ : counts.ofSessions++));
    return counts;
  }
}
