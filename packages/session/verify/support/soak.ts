import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '@x/core';
import { Client } from 'pg';
import { createSession, type ISession, type SessionEntry, type SessionStore } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';
import { answeringModel, faultsIn } from '../../test/support/engine-world.ts';
import { finishedIn } from '../../test/support/resumed.ts';
import type { CallNote, CutWorkerOptions } from './cut-worker.ts';
import { orderFaults, recordsIn } from './judge.ts';
import type { Held } from './measure.ts';
import { end, leave, startWorker } from './served-process.ts';
import { randomFrom } from './tally.ts';

export interface SoakOptions extends Pick<CutWorkerOptions, 'slow' | 'without'> {
  /** The URL of an empty database. */
  readonly url: string;
  readonly sessions: number;
  /** Messages, each of which is a run; they come in batches, of sessions that are all different. */
  readonly runs: number;
  readonly batch: number;
  /** One worker with each batch. */
  readonly isKilling: boolean;
  readonly seed: number;
  /** Milliseconds that everything has which was sent, once the last was. */
  readonly patienceMs: number;
}

/** What was seen from outside. */
export interface Soaked {
  readonly faults: string[];
  readonly kills: number;
  /** Calls that have begun. */
  readonly effects: number;
  /** Calls that were cut off and reported as unknown. */
  readonly unknown: number;
  /** Owners that the logs name. */
  readonly epochs: number;
  /** Of the worker that was never killed, after each tenth of the batches. */
  readonly held: readonly Held[];
  /** Connections of the store at each look, and how many there may be. */
  readonly connections: readonly number[];
  readonly mostConnections: number;
}

const WORKERS = 4;
/** Connections of a worker, and of the one that sends. */
const CONNECTIONS = 4;
/** The connection of a worker for live events. */
const LIVE = 1;
/** Milliseconds. A living worker renews every five seconds: for the rest of them it has a lease that others may take. */
const LEASE_MS = 1_000;
/** Messages that may be under way when the next batch is sent. */
const LEFT = 10;
const LEAVE_MS = 20_000;
/** Kills for each worker that is stopped past its leases, and goes on. */
const PAUSE_EVERY = 5;

/** Four workers, of which one is killed with -9 in each batch of messages but never the first, until all messages are answered. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const store = postgresStore({ connectionString: options.url, connections: CONNECTIONS });
  const client = new Client({ connectionString: options.url, application_name: 'soak' });
  await client.connect();
  const soaking = new Soak(options, { notes: join(folder, 'notes'), store, client });
  try {
    await writeFile(join(folder, 'notes'), '');
    return await soaking.run();
  } finally {
    await soaking[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await client.end();
    await rm(folder, { recursive: true });
  }
}

async function pause(worker: ChildProcess): Promise<void> {
  worker.kill('SIGSTOP');
  await sleep(2 * LEASE_MS);
  worker.kill('SIGCONT');
}

interface Parts {
  readonly notes: string;
  readonly store: SessionStore;
  /** For what the server says. */
  readonly client: Client;
}

class Soak implements AsyncDisposable {
  readonly #options: SoakOptions;
  readonly #parts: Parts;
  readonly #random: () => number;
  readonly #sessions: ISession[] = [];
  readonly #accepted: string[][] = [];
  readonly #workers: ChildProcess[] = [];
  readonly #underWay = new Set<string>();
  readonly #held: Held[] = [];
  readonly #connections: number[] = [];
  #kills = 0;

  constructor(options: SoakOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#random = randomFrom(options.seed);
  }

  async run(): Promise<Soaked> {
    const { sessions, runs, batch, patienceMs } = this.#options;
    for (let made = 0; made < sessions; made++) {
      this.#sessions.push(await createSession({ provider: answeringModel, model: 'm', store: this.#parts.store }));
      this.#accepted.push([]);
    }
    this.#workers.push(...(await Promise.all(Array.from({ length: WORKERS }, () => this.#started()))));
    const batches = Math.ceil(runs / batch);
    let order: number[] = [];
    for (let done = 0; done < batches; done++) {
      if (order.length < batch) order = shuffled(sessions, this.#random);
      await this.#serve(order.splice(0, batch));
      if (done % Math.ceil(batches / 10) === 0) await this.#measure();
    }
    const isDone = await this.#settled(0, patienceMs);
    const faults = isDone ? [] : [`${this.#underWay.size} sessions are not done`];
    await Promise.all(this.#workers.map(leave));
    if (isDone) faults.push(...(await this.#wrong()));
    faults.push(...(await this.#connectionsLeft()));
    return { ...(await this.#seen()), faults };
  }

  /** Safe to call twice. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) if ((worker.exitCode ?? worker.signalCode) === null) await end(worker);
  }

  async #started(): Promise<ChildProcess> {
    const { url, slow, without } = this.#options;
    const given: CutWorkerOptions = { url, notes: this.#parts.notes, workMs: 5, leaseMs: LEASE_MS, slow, without };
    const worker = await startWorker([JSON.stringify(given)], 'cut-worker.ts');
    return worker;
  }

  /** Sends a message to each of these, and kills a worker when some of them are under way. */
  async #serve(indexes: readonly number[]): Promise<void> {
    await Promise.all(indexes.map((index) => this.#send(index)));
    if (this.#options.isKilling) {
      await this.#settled(Math.ceil(this.#random() * indexes.length), this.#options.patienceMs);
      const at = 1 + Math.floor(this.#random() * (WORKERS - 1));
      const next = this.#started();
      if (this.#kills % PAUSE_EVERY === 0) await pause(this.#workers[1 + (at % (WORKERS - 1))]!); // another one
      await end(this.#workers[at]!);
      this.#workers[at] = await next;
      this.#kills += 1;
    }
    await this.#settled(LEFT, this.#options.patienceMs);
  }

  async #send(index: number): Promise<void> {
    const [session, sent] = [this.#sessions[index]!, this.#accepted[index]!];
    const text = `<${sent.length}${this.#random() < 0.7 ? ' work' : ''}>`;
    await session.send(text);
    sent.push(text);
    this.#underWay.add(session.sessionId);
  }

  /** Waits until at most so many sessions have something to run. */
  async #settled(most: number, patienceMs: number): Promise<boolean> {
    for (const until = performance.now() + patienceMs; performance.now() < until; await sleep(50)) {
      // In this order: what has been taken from an inbox meanwhile has a run by then.
      const waiting = new Set((await this.#parts.store.waiting?.())?.map(({ sessionId }) => sessionId));
      const { sessions } = await this.#parts.store.list({ state: ['running', 'interrupted', 'waiting'], limit: 1000 });
      for (const { sessionId } of sessions) waiting.add(sessionId);
      for (const sessionId of this.#underWay) if (!waiting.has(sessionId)) this.#underWay.delete(sessionId);
      this.#connections.push(await this.#count());
      if (this.#underWay.size <= most) return true;
    }
    return false;
  }

  async #measure(): Promise<void> {
    const [first] = this.#workers;
    first!.send('measure');
    for (;;) {
      const [{ held }] = (await once(first!, 'message')) as [{ readonly held?: Held }]; // safe: of `cut-worker.ts`
      if (!held) continue;
      this.#held.push(held);
      return;
    }
  }

  /** Connections to the database, without the one that asks. */
  async #count(): Promise<number> {
    const { rows } = await this.#parts.client.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rows[0]!.count;
  }

  async #wrong(): Promise<string[]> {
    const { store } = this.#parts;
    const effects = new Map<string, number>();
    for (const { key } of this.#begun()) effects.set(key, (effects.get(key) ?? 0) + 1);
    const faults = await faultsIn({ store, sessions: this.#sessions, accepted: this.#accepted, effects });
    for (const [index, { sessionId }] of this.#sessions.entries()) {
      const entries = await this.#entriesOf(sessionId);
      faults.push(...orderFaults(entries));
      const users = recordsIn(entries, 'message').flatMap(({ message }) => (message.role === 'user' ? [message] : []));
      const [recorded, sent] = [users.map(textOf).join(), this.#accepted[index]!.join()];
      if (recorded !== sent) faults.push(`${recorded} was recorded, in another order than ${sent}`);
    }
    return faults;
  }

  async #seen(): Promise<Omit<Soaked, 'faults'>> {
    let [unknown, epochs] = [0, 0];
    for (const { sessionId } of this.#sessions) {
      const entries = await this.#entriesOf(sessionId);
      const finished = finishedIn(entries.map(({ body }) => body));
      unknown += finished.filter(({ result }) => result.interrupted === 'unknown').length;
      epochs += new Set(entries.map(({ epoch }) => epoch)).size;
    }
    return {
      kills: this.#kills,
      effects: this.#begun().length,
      unknown,
      epochs,
      held: this.#held,
      connections: this.#connections,
      // One worker more: the server may not yet have seen that the one before has ended.
      mostConnections: (CONNECTIONS + LIVE) * (WORKERS + 1) + CONNECTIONS,
    };
  }

  /** Of the workers; this process has its own. */
  async #connectionsLeft(): Promise<string[]> {
    const { client } = this.#parts;
    for (const until = performance.now() + LEAVE_MS; performance.now() < until; await sleep(50)) {
      if ((await this.#count()) <= CONNECTIONS) break;
    }
    const { rows } = await client.query<{ state: string }>(
      "select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'",
    );
    const left = await this.#count();
    return left > CONNECTIONS || rows.length > 0 ? [`${left} connections are left, ${rows.length} of them busy`] : [];
  }

  #begun(): readonly CallNote[] {
    const lines = readFileSync(this.#parts.notes, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as CallNote).filter(({ what }) => what === 'begun'); // safe: of a worker
  }

  async #entriesOf(sessionId: string): Promise<readonly SessionEntry[]> {
    return await Array.fromAsync(this.#parts.store.read(sessionId));
  }
}

function shuffled(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, index) => [random(), index] as const);
  return order.toSorted(([one], [other]) => one - other).map(([, index]) => index);
}
