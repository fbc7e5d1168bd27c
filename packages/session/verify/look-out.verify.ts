// Messages that one process sends to the sessions of a file, and nobody is asked to answer: four workers in processes of their own take them up,
// and are killed with -9 and replaced meanwhile. Every message must be recorded once, in the order sent, and answered once, no effect come twice;
// and who follows a session from another process must be told its log, no gap and nothing twice. Controls must fail: workers that look only
// at their start, and a reader that misses a record.
// MESSAGES=10000, KILLS=20, FIRST=1 (the first seed)
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '@x/core';
import { type SessionStore, sqliteStore, watchSession } from '../src/index.ts';
import { faultsIn, newWorld, settled, type World } from '../test/support/engine-world.ts';
import { isRecord, toldRecords } from '../test/support/followed.ts';
import { bodiesOf } from '../test/support/makers.ts';
import { end, startWorker } from './support/served-process.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const MESSAGES = amountFrom('MESSAGES', 10_000);
const KILLS = amountFrom('KILLS', 20);
const FIRST = numberFrom('FIRST', 1);
const WORKERS = 4;

const tally = new Tally();
const startedAt = performance.now();
const { faults, told, missed, effects } = await sent({ messages: MESSAGES, kills: KILLS, sweep: 'sweeping' });
tally.check(`${MESSAGES} messages to ${WORKERS} workers`, faults);
tally.check('control, a reader that misses a record', missed.length > 0 ? [] : ['the harness saw nothing wrong']);
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(
  `${MESSAGES} messages taken up by ${WORKERS} workers, ${KILLS} of them killed with -9: ${effects} effects; ` +
    `readers were told ${told} records (${seconds} s)`,
);
const blind = await sent({ messages: 5, kills: 0, sweep: 'not-sweeping' });
tally.check(
  'control, workers that look at their start alone',
  blind.faults.length > 0 ? [] : ['the harness saw nothing wrong'],
);
console.log(`control, workers that look at their start alone: ${blind.faults[0] ?? 'nothing noticed'}`);
tally.end();

interface Sending {
  readonly messages: number;
  readonly kills: number;
  readonly sweep: 'sweeping' | 'not-sweeping';
}

async function sent({ messages, kills, sweep }: Sending) {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const [path, noted] = [join(folder, 'sessions.db'), join(folder, 'effects')];
  await writeFile(noted, '');
  const [store, apart] = [sqliteStore({ path }), sqliteStore({ path })];
  const world = await newWorld(store);
  const random = randomFrom(FIRST);
  const start = () => startWorker([path, noted, sweep]);
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  const over = new AbortController();
  const readers = world.sessions.map(({ sessionId }) => read(apart, sessionId, over.signal));
  const pause = Math.ceil(messages / (kills + 1));
  for (let message = 1; message <= messages; message++) {
    const index = Math.floor(random() * world.sessions.length);
    const text = `<${message}${random() < 0.3 ? ' work' : ''}>`;
    await world.sessions[index]!.send(text);
    world.accepted[index]!.push(text);
    if (random() < 0.2) await sleep(random() * 20);
    if (message % pause !== 0 || message === messages) continue;
    await end(workers.shift()!);
    workers.push(await start());
  }
  const isDone = await settled(world, sweep === 'sweeping' ? 120_000 : 500);
  await sleep(300); // readers look within 50 ms
  over.abort();
  const seen = await Promise.all(readers);
  await Promise.all(workers.map(end));
  const keys = readFileSync(noted, 'utf8').trim().split('\n').filter(Boolean);
  for (const key of keys) world.effects.set(key, (world.effects.get(key) ?? 0) + 1);
  const found = isDone
    ? [...(await faultsIn(world)), ...(await outOfOrder(world))]
    : ['messages wait, or a run has not ended'];
  const missed: string[] = [];
  for (const [index, { sessionId }] of world.sessions.entries()) {
    const expected = (await toldRecords(store, sessionId)).map(({ cursor }) => cursor).join(' ');
    if (isDone && seen[index]!.join(' ') !== expected)
      found.push(`a reader was told ${seen[index]!.length} records, not those of the log`);
    if (seen[index]!.slice(1).join(' ') !== expected) missed.push(sessionId);
  }
  for (const one of [store, apart]) await one[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  return { faults: found, told: seen.flat().length, missed, effects: keys.length };
}

/** The cursors of all records that a reader is told, who leaves now and then and comes again. */
async function read(store: SessionStore, sessionId: string, signal: AbortSignal): Promise<string[]> {
  const cursors: string[] = [];
  while (!signal.aborted) {
    const from = cursors.at(-1);
    const options = { store, sessionId, signal, ...(from === undefined ? {} : { from }) };
    let left = 100;
    for await (const event of watchSession(options)) {
      if (isRecord(event)) cursors.push(event.cursor);
      if (--left === 0) break;
    }
  }
  return cursors;
}

async function outOfOrder({ store, sessions, accepted }: World): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, { sessionId }] of sessions.entries()) {
    const recorded = (await bodiesOf(store, sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'user'
        ? [textOf(body.record.message)]
        : [],
    );
    if (recorded.join() !== accepted[index]!.join()) faults.push(`recorded in another order: ${recorded.join('')}`);
  }
  return faults;
}
