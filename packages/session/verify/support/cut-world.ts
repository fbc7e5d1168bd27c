import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import type { RunEngine, SessionEntry, SessionStore } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';
import { faultsIn, newWorld, settled, type World } from '../../test/support/engine-world.ts';
import type { RedisServer } from '../../test/support/redis-server.ts';
import { finishedIn } from '../../test/support/resumed.ts';
import { CutNetwork } from './cut-network.ts';
import type { CallNote, CutWorkerOptions } from './cut-worker.ts';
import { engineAt } from './engine-at.ts';
import { orderFaults } from './judge.ts';
import { PORT, type PostgresServer } from './postgres-server.ts';
import { end, startWorker } from './served-process.ts';

/** A worker, and the network between it and the database. */
export interface CutWorker {
  readonly child: ChildProcess;
  readonly network: CutNetwork;
  /** Between it and the Redis, if it takes jobs from there. */
  readonly queue?: CutNetwork;
  /** Codes of the errors that it has told. */
  readonly codes: string[];
}

/** Milliseconds that a process which was asked to leave has. */
const LEAVE_MS = 60_000;

/** A Redis, and the front's way to it. */
interface Jobs {
  readonly redis: RedisServer;
  readonly network: CutNetwork;
  readonly engine: RunEngine;
}

/** Sessions in a database of their own, workers that run them and a front that sends, each behind a network of its own. */
export class CutWorld {
  readonly front: CutNetwork;
  readonly #jobs: Jobs | undefined;
  /** Asks that the queue has not taken. */
  notAsked = 0;
  readonly #server: PostgresServer;
  readonly #database: string;
  readonly #folder: string;
  /** Of the front, through its network; and one that is never cut. */
  readonly #stores: readonly [SessionStore, SessionStore];
  readonly #world: World;
  readonly #workers: CutWorker[] = [];

  private constructor(
    parts: Pick<CutWorld, 'front'> & {
      server: PostgresServer;
      database: string;
      folder: string;
      world: World;
      jobs?: Jobs | undefined;
    },
    stores: readonly [SessionStore, SessionStore],
  ) {
    this.front = parts.front;
    this.#jobs = parts.jobs;
    this.#server = parts.server;
    this.#database = parts.database;
    this.#folder = parts.folder;
    this.#world = parts.world;
    this.#stores = stores;
  }

  /** With a Redis the front asks there for each session that it has sent to. */
  static async make(server: PostgresServer, database: string, redis?: RedisServer): Promise<CutWorld> {
    await onServer(server, `create database ${database}`);
    const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
    await writeFile(join(folder, 'notes'), '');
    const front = await CutNetwork.open(socketOf(server));
    const cuttable = postgresStore({ connectionString: front.urlOf(database), connections: 3 });
    const direct = postgresStore({ connectionString: directUrl(server, database), connections: 3 });
    const world = { ...(await newWorld(cuttable)), store: direct };
    const jobs = redis && (await jobsOf(redis));
    return new CutWorld({ server, database, folder, front, world, jobs }, [cuttable, direct]);
  }

  /** Between the front and the Redis. */
  get frontQueue(): CutNetwork {
    return this.#jobs!.network;
  }

  get sessionIds(): readonly string[] {
    return this.#world.sessions.map(({ sessionId }) => sessionId);
  }

  async startWorker(
    options: Pick<CutWorkerOptions, 'workMs' | 'leaseMs' | 'isBlind' | 'without'> & { readonly isQueued?: boolean },
  ): Promise<CutWorker> {
    const { isQueued = false, ...rest } = options;
    const network = await CutNetwork.open(socketOf(this.#server));
    const url = network.urlOf(this.#database);
    const queue = isQueued && this.#jobs ? await CutNetwork.open(this.#jobs.redis.url) : undefined;
    const given: CutWorkerOptions = {
      ...rest,
      url,
      notes: this.#notes,
      queue: isQueued ? (queue?.redisUrl ?? url) : undefined,
    };
    const child = await startWorker([JSON.stringify(given)], 'cut-worker.ts');
    const codes: string[] = [];
    child.on('message', ({ code }: { readonly code?: string }) => void (code && codes.push(code)));
    const worker = { child, network, codes, ...(queue ? { queue } : {}) };
    this.#workers.push(worker);
    return worker;
  }

  /** The database as a host opens it that thinks of no cut: a pool of `pg` with its defaults. */
  hostPool(): Pool {
    const pool = new Pool({ connectionString: this.front.urlOf(this.#database), max: 2 });
    pool.on('error', () => undefined);
    return pool;
  }

  /** Sends to the session of this number; a message that is refused was not accepted. */
  async send(index: number, isWork: boolean): Promise<boolean> {
    const sent = this.#world.accepted[index]!;
    const text = `<${sent.length}.${this.#sends++}${isWork ? ' work' : ''}>`;
    try {
      await this.#world.sessions[index]!.send(text);
    } catch {
      return false;
    }
    sent.push(text);
    await this.#jobs?.engine.submit(this.sessionIds[index]!).catch(() => (this.notAsked += 1));
    return true;
  }
  #sends = 0;

  calls(what: CallNote['what']): CallNote[] {
    const lines = readFileSync(this.#notes, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as CallNote).filter((note) => note.what === what); // safe: of a worker
  }

  async entriesOf(sessionId: string): Promise<readonly SessionEntry[]> {
    return await Array.fromAsync(this.#stores[1].read(sessionId));
  }

  /** Calls that were cut off and are reported as unknown. */
  async unknown(): Promise<number> {
    const logs = await Promise.all(this.sessionIds.map((id) => this.entriesOf(id)));
    const bodies = logs.flat().map(({ body }) => body);
    return finishedIn(bodies).filter(({ result }) => result.interrupted === 'unknown').length;
  }

  /** Waits until nothing runs and no message waits; false after `patienceMs`. */
  async rests(patienceMs: number): Promise<boolean> {
    return await settled(this.#world, patienceMs);
  }

  /** Everything that is wrong once all messages are answered: in the logs, with processes that do not leave, with connections that stay. */
  async faults(patienceMs: number): Promise<string[]> {
    const done = await this.rests(patienceMs);
    const stayed = (await Promise.all(this.#workers.map(leave))).flat(); // whoever was late has written by then
    for (const { key } of this.calls('begun')) this.#world.effects.set(key, (this.#world.effects.get(key) ?? 0) + 1);
    const faults = done ? await faultsIn(this.#world) : ['messages wait, or a run has not ended'];
    for (const sessionId of this.sessionIds) faults.push(...orderFaults(await this.entriesOf(sessionId)));
    faults.push(...stayed);
    for (const session of this.#world.sessions) await session.close();
    for (const store of this.#stores) await store[Symbol.asyncDispose]();
    await this.#jobs?.engine[Symbol.asyncDispose]();
    this.#closeNetworks();
    faults.push(...(await this.#connectionsLeft()));
    return faults;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#workers) if (child.exitCode === null && child.signalCode === null) await end(child);
    this.#closeNetworks();
    await rm(this.#folder, { recursive: true });
  }

  get #notes(): string {
    return join(this.#folder, 'notes');
  }

  #closeNetworks(): void {
    const ofWorkers = this.#workers.flatMap(({ network, queue }) => (queue ? [network, queue] : [network]));
    for (const network of [this.front, ...ofWorkers]) network[Symbol.dispose]();
    this.#jobs?.network[Symbol.dispose]();
  }

  /** A server needs a moment to see that a connection was closed. */
  async #connectionsLeft(): Promise<string[]> {
    const count = `select count(*)::int as count from pg_stat_activity where datname = '${this.#database}'`;
    for (const until = performance.now() + LEAVE_MS; performance.now() < until; await sleep(50))
      if ((await onServer(this.#server, count))[0]?.['count'] === 0) return [];
    return ['connections are left'];
  }
}

async function jobsOf(redis: RedisServer): Promise<Jobs> {
  const network = await CutNetwork.open(redis.url);
  return { redis, network, engine: engineAt(network.redisUrl) };
}

async function leave({ child }: CutWorker): Promise<string[]> {
  if (child.signalCode !== null) return []; // it was killed
  if (child.exitCode !== null) return child.exitCode === 0 ? [] : [`a worker has ended with ${child.exitCode}`];
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const [code] = await Promise.race([closed, sleep(LEAVE_MS, ['nothing'], { ref: false })]);
  return code === 0 ? [] : [`a worker that was asked to leave ended with ${String(code)}`];
}

async function onServer(server: PostgresServer, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(server.url);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(statement);
  await client.end();
  return rows;
}

function socketOf({ folder }: PostgresServer): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

function directUrl({ url }: PostgresServer, database: string): string {
  return url.replace('/postgres?', `/${database}?`);
}
