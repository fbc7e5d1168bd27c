// Messages at random moments. Each schedule, made from its seed, sends messages from two session objects and past them into the store
// (as another process would), with each priority, with signals and limits of turns, awaited or not: before a run, during deltas,
// tools, parallel calls, compaction, store operations, between turns, in the last instant and between runs. Meanwhile runs are aborted,
// fail, are left or closed, and processes crash: all objects are dropped and the session is resumed over the same store. Each message
// is delivered exactly once, in order per priority, where `send` has said, in this run or the next.
// Controls must fail: an inbox that forgets, one that doubles, one that is last in, first out.
// SCHEDULES=1000, FIRST=1 (the first seed), SQLITE=300 (schedules on a file)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@x/core';
import { memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { steeringFaults } from './support/steering-judge.ts';
import { scheduleFrom } from './support/steering-schedule.ts';
import { type Stores, steeringTrial } from './support/steering-trial.ts';
import { withLease } from './support/store-wrappers.ts';
import { numberFrom, randomFrom, Tally } from './support/tally.ts';

const SCHEDULES = numberFrom('SCHEDULES', 1000);
const SQLITE = numberFrom('SQLITE', 300);
const FIRST = numberFrom('FIRST', 1);
const CONTROLS = 100;

const tally = new Tally();
const inMemory = (): Stores => {
  const store = withLease(memoryStore(), -1);
  return { one: store, other: store };
};

await manySchedules('memory', SCHEDULES, inMemory);
await onSqlite();
await control('an inbox that forgets', forgetting);
await control('an inbox that doubles', doubling);
await control('an inbox that is last in, first out', reversed);
tally.end();

async function manySchedules(name: string, count: number, make: () => Stores): Promise<void> {
  const startedAt = performance.now();
  const sums = {
    messages: 0,
    started: 0,
    steered: 0,
    queued: 0,
    duplicate: 0,
    unheard: 0,
    crashes: 0,
    compactions: 0,
    runs: 0,
  };
  for (let seed = FIRST; seed < FIRST + count; seed++) {
    const { faults, world, runs } = await played(seed, make());
    tally.check(`${name}, seed ${seed}`, faults);
    for (const { outcome } of world.sent) sums[outcome?.status ?? 'unheard'] += 1;
    sums.messages += world.sent.length;
    sums.crashes += world.crashes;
    sums.compactions += world.compactions;
    sums.runs += runs;
  }
  const { messages, started, steered, queued, unheard, crashes, compactions, runs } = sums;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${name}: ${count} schedules, ${messages} messages (${started} started, ${steered} steered, ${queued} queued, ` +
      `${unheard} unheard), ${runs} runs, ${crashes} crashes, ${compactions} compactions (${seconds} s)`,
  );
}

/** Two stores over one file, as two processes have them. */
async function onSqlite(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const path = join(folder, 'sessions.db');
  const [one, other] = [sqliteStore({ path }), sqliteStore({ path })];
  await manySchedules('SQLite', SQLITE, () => ({ one: withLease(one, -1), other: withLease(other, -1) }));
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}

async function played(seed: number, stores: Stores) {
  const { world, sessionId } = await steeringTrial(scheduleFrom(randomFrom(seed)), stores);
  const entries = await Array.fromAsync(stores.one.read(sessionId));
  const waiting = (await stores.one.inbox(sessionId)).map(({ message }) => textOf(message));
  const runs = entries.filter(({ body }) => body.type === 'run_started').length;
  return { faults: steeringFaults(world, entries, waiting), world, runs };
}

async function control(name: string, unguarded: (store: SessionStore) => SessionStore): Promise<void> {
  let noticed = 0;
  for (let seed = FIRST; seed < FIRST + CONTROLS; seed++) {
    const store = unguarded(inMemory().one);
    const { faults } = await played(seed, { one: store, other: store });
    if (faults.length > 0) noticed += 1;
  }
  console.log(`control, ${name}: noticed in ${noticed} of ${CONTROLS} schedules`);
  tally.check(`control, ${name}`, noticed > CONTROLS / 4 ? [] : ['the harness saw too little wrong']);
}

/** Every third message is acknowledged and not kept. */
function forgetting(store: SessionStore): SessionStore {
  let count = 0;
  return { ...store, enqueue: async (id, item) => (++count % 3 === 0 ? true : await store.enqueue(id, item)) };
}

/** What a record takes out is still there, once. */
function doubling(store: SessionStore): SessionStore {
  const kept = new Set<string>();
  const first = (id: string) => kept.size < kept.add(id).size;
  return {
    ...store,
    append: (id, expected, entries, consume = []) =>
      store.append(
        id,
        expected,
        entries,
        consume.filter((one) => !first(one)),
      ),
  };
}

function reversed(store: SessionStore): SessionStore {
  return { ...store, inbox: async (id) => (await store.inbox(id)).toReversed() };
}
