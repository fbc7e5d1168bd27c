// needs: initdb postgres pgbouncer setpriv
// Live events of sessions in Postgres, from workers to readers in another process. 1: a reader that is there from the beginning is told every piece
// of every reply, those of subagents too, before its record. 2: workers are killed with -9 and replaced, with leases of a second, while readers come late,
// leave and are slow: the records are those of the log, and of each reply its beginning is told, before its record, or nothing. 3: without a reader
// nothing is notified for a session; with one it is. 4: the connection of the live events is cut, in four ways, of the worker and of the reader: no
// run is lost, and pieces are told again afterwards. 5: behind a pooler: with an address of the server pieces are told, without one a warning says so.
// Controls must fail: a reader that misses a piece; one that is told a piece late.
// MESSAGES=40 (to each of two sessions), KILLS=30, FIRST=1 (the seed)
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEvent } from '../src/index.ts';
import { judgePieces } from '../test/support/told-pieces.ts';
import { CUT_KINDS, type CutKind, CutNetwork } from './support/cut-network.ts';
import { LiveWorld, until } from './support/live-world.ts';
import { PORT, PostgresServer } from './support/postgres-server.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const MESSAGES = amountFrom('MESSAGES', 40);
const KILLS = amountFrom('KILLS', 30);
const random = randomFrom(numberFrom('FIRST', 1));
/** Replies of a run: two of the session's own agent, two of each subagent. */
const REPLIES = 6;

const tally = new Tally();
const deprecated: string[] = [];
process.on('warning', ({ name, message }) => {
  if (name === 'DeprecationWarning') deprecated.push(message);
});
const server = await PostgresServer.start(['fsync=off', 'max_connections=300']);
let worlds = 0;
try {
  await server.startPooler();
  await trial('there from the beginning', fromTheBeginning);
  await trial('workers killed', workersKilled);
  await trial('nobody listens', nobody);
  await Promise.all([
    ...CUT_KINDS.map((kind) => trial(`the worker cut off, ${kind}`, (world) => cutOff(world, kind, 'worker'))),
    ...CUT_KINDS.map((kind) => trial(`the reader cut off, ${kind}`, (world) => cutOff(world, kind, 'reader'))),
  ]);
  await trial('behind a pooler', pooled);
} finally {
  await server[Symbol.asyncDispose]();
}
tally.check('no warning of the driver', deprecated);
tally.end();

/** `act` returns what is wrong, and a line about what has happened. */
async function trial(
  name: string,
  act: (world: LiveWorld) => Promise<{ faults: readonly string[]; line: string }>,
): Promise<void> {
  const startedAt = performance.now();
  const world = await LiveWorld.make(server, `trial_${(worlds += 1)}`);
  try {
    const { faults, line } = await act(world);
    tally.check(name, faults);
    console.log(`${name}: ${line} (${Math.round((performance.now() - startedAt) / 1000)} s)`);
  } catch (error) {
    tally.check(name, [String(error)]);
  } finally {
    await world[Symbol.asyncDispose]();
  }
}

function isPiece({ event }: SessionEvent): boolean {
  return event.type === 'content';
}

async function fromTheBeginning(world: LiveWorld) {
  let pieces = 0;
  const reader = world.read(0, world.open(), {}, (event) => {
    if (isPiece(event)) world.workers[0]?.send((pieces += 1));
  });
  await world.startWorker({ gatedFor: world.sessions[0]!.sessionId });
  await world.run(0);
  const { faults, ...told } = await world.judge();
  const more = [...faults];
  if (told.whole !== REPLIES || told.begun + told.lost > 0) more.push(`told ${JSON.stringify(told)}`);
  const [visit = []] = reader.visits;
  if (!visit.some(({ event, agentPath }) => event.type === 'tool_progress' && agentPath.length > 0))
    more.push('no progress of a call of a subagent');
  const missing = judgePieces(visit.filter((event) => event !== visit.find(isPiece))).faults;
  const late = judgePieces([...visit, visit.find(isPiece)!]).faults;
  if (missing.length === 0 || late.length === 0) more.push('control: nobody notices a piece that is missed, or late');
  return {
    faults: more,
    line: `${told.whole} replies in ${pieces} pieces; controls: ${missing[0]?.slice(-30)}, ${late[0]}`,
  };
}

async function workersKilled(world: LiveWorld) {
  const start = () => world.startWorker({ leaseMs: 1_000 });
  await Promise.all([start(), start()]);
  for (const [index, store] of [world.open(), world.open()].entries())
    for (const session of world.sessions.keys()) {
      world.read(session, store);
      world.read(session, store, { delayMs: random() * 5_000, slowMs: index * 3 });
      world.read(session, store, { delayMs: random() * 2_000, leavesAfter: 20 + Math.floor(random() * 100) });
    }
  let sent = 0;
  const sending = world.sessions.map(async (session) => {
    for (let message = 0; message < MESSAGES; message++, await sleep(random() * 800)) {
      await session.send('Go.');
      sent += 1;
    }
  });
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(random() * 1_000);
    await world.kill(world.workers[0]!);
    await start();
  }
  await Promise.all(sending);
  await world.settle();
  const { faults, whole, begun, lost } = await world.judge();
  const more = whole > 0 ? faults : [...faults, 'no reply was told in whole'];
  const line = `${KILLS} workers killed, ${sent} messages, ${whole} replies told in whole, ${begun} in part, ${lost} pieces of replies that were lost`;
  return { faults: more, line };
}

async function nobody(world: LiveWorld) {
  await world.startWorker();
  const counts = await world.count();
  await world.run(0);
  await world.run(1);
  const silent = counts.ofSessions;
  world.read(0, world.open());
  await until(async () => {
    await world.run(0);
    return counts.ofSessions > 0;
  });
  const { ofSessions } = counts;
  await counts[Symbol.asyncDispose]();
  const faults = silent > 0 ? [`${silent} notifications for sessions that nobody follows`] : [];
  return { faults, line: `${silent} notifications without a reader, ${ofSessions} with one` };
}

async function cutOff(world: LiveWorld, kind: CutKind, whose: 'worker' | 'reader') {
  const network = await CutNetwork.open(`${server.folder}/.s.PGSQL.${PORT}`);
  const liveUrl = network.urlOf(world.database);
  try {
    await world.startWorker(whose === 'worker' ? { liveUrl } : {});
    const { visits } = world.read(0, world.open(whose === 'reader' ? { liveConnectionString: liveUrl } : {}));
    const whole = () => judgePieces(visits.flat()).whole;
    const toldMore = async (before: number) => {
      await world.run(0);
      return whole() > before;
    };
    await until(() => toldMore(0));
    network.cut(kind);
    for (let runs = 0; runs < 3; runs++) await world.run(0);
    network.mend();
    const before = whole();
    await until(() => toldMore(before));
    const { faults, ...told } = await world.judge();
    const isLost = visits.flat().some(({ event }) => event.type === 'run_resumed' || event.type === 'error');
    const line = `${told.whole} replies in whole, ${told.begun} in part; ${world.warnings.length} warnings of the worker`;
    return { faults: isLost ? [...faults, 'a run was lost'] : faults, line };
  } finally {
    network[Symbol.dispose]();
  }
}

async function pooled(world: LiveWorld) {
  const url = server.poolerUrl.replace('/postgres?', `/${world.database}?`);
  const warnings: string[] = [];
  process.on('warning', ({ name, message }) => name !== 'DeprecationWarning' && warnings.push(message));
  const through = { connectionString: url, prepared: false };
  await world.startWorker();
  const direct = world.read(0, world.open({ ...through, liveConnectionString: world.url }));
  const none = world.read(0, world.open(through));
  const useless = world.read(0, world.open({ ...through, liveConnectionString: url }));
  await until(async () => {
    await world.run(0);
    return judgePieces(direct.visits.flat()).whole > 0;
  });
  const { faults } = await world.judge();
  const [told, others] = [
    judgePieces(direct.visits.flat()).whole,
    [...none.visits, ...useless.visits].flat().filter(isPiece),
  ];
  const isWarned = warnings.length === 1 && warnings[0]?.includes('the address is that of a pooler');
  const more =
    isWarned && others.length === 0 ? faults : [...faults, `warned: ${warnings.join()}; ${others.length} pieces`];
  return { faults: more, line: `${told} replies in whole past the pooler, and one warning` };
}
