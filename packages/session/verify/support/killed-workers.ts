import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionStore } from '../../src/index.ts';
import { faultsIn, newWorld, settled, type World } from '../../test/support/engine-world.ts';
import { bodiesOf } from '../../test/support/makers.ts';
import { finishedIn } from '../../test/support/resumed.ts';
import { end, startWorker } from './served-process.ts';
import { randomFrom } from './tally.ts';

export interface KilledWorkersOptions {
  readonly kills: number;
  /** Workers at a time; default 2. */
  readonly atATime?: number;
  readonly sweep: 'sweeping' | 'not-sweeping';
  /** Milliseconds that the last worker has for what is left. */
  readonly patienceMs: number;
  readonly store: SessionStore;
  /** Of the same sessions, for `served-worker.ts`. */
  readonly place: string;
  /** For the file in which effects are noted. */
  readonly folder: string;
  readonly seed: number;
  /** Further arguments of `served-worker.ts`. */
  readonly more?: readonly string[];
  /** Asks for a session after each message. Default: two of three times, through a worker that may be killed. */
  readonly ask?: (sessionId: string) => Promise<void>;
  /** Ends a worker, any but the last. Default: kills it with -9. */
  readonly stop?: (worker: ChildProcess) => Promise<void>;
  /** Messages that ask for work, to be sent before all but the last are stopped, in the middle of it. Default 0. */
  readonly inHand?: number;
  /** Called when all but the last have ended, with what sends one more message. */
  readonly onEnded?: (send: () => Promise<void>) => Promise<void>;
  /** Called after each kill, while messages come in. */
  readonly onKilled?: (kill: number) => Promise<void>;
}

export interface KilledWorkers {
  readonly faults: readonly string[];
  readonly sent: number;
  readonly effects: number;
  /** Calls that were cut off and reported as unknown. */
  readonly unknown: number;
}

/** Some workers at a time; each in turn is killed with -9 and replaced while messages come in. */
export async function killedWorkers(options: KilledWorkersOptions): Promise<KilledWorkers> {
  const { kills, sweep, patienceMs, store, place, folder, seed, more = [], stop = end, atATime = 2 } = options;
  const noted = join(folder, 'effects');
  await writeFile(noted, '');
  const world = await newWorld(store);
  const random = randomFrom(seed);
  const start = () => startWorker([place, noted, sweep, ...more]);
  const ask = options.ask ? { ask: options.ask } : {};
  const workers = await Promise.all(Array.from({ length: atATime }, start));
  const asked = sweep === 'sweeping' ? 0.66 : 0;
  const send = (isWork = false) => sendSomewhere(world, { workers, random, asked, isWork, ...ask });
  for (let kill = 0; kill < kills; kill++) {
    const next = start();
    for (let message = 0; message < 4; message++) {
      await send();
      await sleep(random() * 15);
    }
    await stop(workers.shift()!);
    await options.onKilled?.(kill);
    workers.push(await next);
  }
  if (options.inHand) await giveWork(options.inHand, () => send(true), noted);
  await Promise.all(workers.map(stop));
  await options.onEnded?.(() => send());
  const last = await start();
  const done = await settled(world, patienceMs);
  await end(last);
  const keys = linesOf(noted);
  for (const key of keys) world.effects.set(key, (world.effects.get(key) ?? 0) + 1);
  const faults = done ? await faultsIn(world) : ['messages wait, or a run has not ended'];
  const unknown = (await Promise.all(world.sessions.map(({ sessionId }) => unknownIn(store, sessionId)))).flat().length;
  return { faults, sent: world.accepted.flat().length, effects: keys.length, unknown };
}

/** Sends messages that ask for work; resolves when it has begun. */
async function giveWork(messages: number, send: () => Promise<void>, noted: string): Promise<void> {
  const before = linesOf(noted).length;
  for (let message = 0; message < messages; message++) await send();
  while (linesOf(noted).length === before) await sleep(5);
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);
}

/** The calls whose effect nobody knows. */
async function unknownIn(store: SessionStore, sessionId: string): Promise<string[]> {
  const finished = finishedIn(await bodiesOf(store, sessionId));
  return finished.flatMap(({ callId, result }) => (result.interrupted === 'unknown' ? [callId] : []));
}

interface Sending {
  readonly workers: readonly ChildProcess[];
  readonly random: () => number;
  /** The share of the messages that a worker is asked to answer. */
  readonly asked: number;
  readonly isWork: boolean;
  readonly ask?: (sessionId: string) => Promise<void>;
}

async function sendSomewhere(world: World, { workers, random, asked, isWork, ask }: Sending): Promise<void> {
  const index = Math.floor(random() * world.sessions.length);
  const session = world.sessions[index]!;
  const sent = world.accepted[index]!;
  const text = `<${sent.length}${random() < 0.7 || isWork ? ' work' : ''}>`;
  await session.send(text, { priority: random() < 0.3 ? 'later' : 'next' });
  sent.push(text);
  if (ask) await ask(session.sessionId);
  else if (random() < asked) workers[Math.floor(random() * workers.length)]!.send(session.sessionId);
}
