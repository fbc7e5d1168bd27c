// A server is killed with -9 at random moments of streamed runs, and another comes on its port. One reader of the typed client follows all the
// time, and messages are sent without a key of the caller's: every record must be told once, every message be read once. Control: a fetch
// that takes the cursor away must be told records twice. KILLS=15, FIRST=1 (the seed)
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SessionEvent, sqliteStore, watchSession } from '@x/session';
import { amountFrom, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { type ClientSession, createClient } from '../src/client/index.ts';
import { RECORDS } from './support/killed-client.ts';

const KILLS = amountFrom('KILLS', 15);
const random = randomFrom(numberFrom('FIRST', 1));
const program = fileURLToPath(new URL('support/killed-server.ts', import.meta.url));

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'client-kill-'));
const place = { path: join(folder, 'sessions.db'), noted: join(folder, 'effects') };
let child = await spawned();
const port = await begun(child, 0);
const baseUrl = `http://127.0.0.1:${port}`;
const leaving = new AbortController();
const client = createClient({ baseUrl, token: 'secret', signal: leaving.signal });
const session = await client.sessions.create();
const told: SessionEvent[] = [];
const again: SessionEvent[] = [];
const options = {
  baseUrl,
  token: 'secret',
  signal: leaving.signal,
  fetch: forgetful,
};
const control = createClient(options).sessions.open(session.sessionId);
const reading = Promise.all([follow(session, told), follow(control, again)]);
let duplicates = 0;
for (let kill = 0; kill < KILLS; kill += 1) {
  const next = await spawned();
  const sending = session.send(`Message ${kill}.`);
  await sleep(random() * 120);
  await killed(child);
  child = next;
  await begun(child, port);
  if ((await sending).status === 'duplicate') duplicates += 1;
}
for (;;) {
  const { state, queued } = await session.get();
  if (state === 'idle' && queued === 0 && told.at(-1)?.event.type === 'result') break;
  await sleep(20);
}
const isToldTwice = () => again.length > new Set(again.map(({ cursor }) => cursor)).size;
await until(() => again.length >= told.length); // its connections may all have been refused before
const last = await spawned();
await killed(child);
child = last;
await begun(child, port);
await until(isToldTwice);
leaving.abort();
await reading;
child.kill('SIGKILL');

const store = sqliteStore({ path: place.path });
const inLog = await recordsOf(store);
await store[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
const [expected, found] = [inLog.map(lineOf), told.map(lineOf)];
const wrong = expected.findIndex((line, index) => line !== found[index]);
const isSame = wrong < 0 && expected.length === found.length;
tally.check(
  `${KILLS} servers killed`,
  isSame ? [] : [`record ${wrong}: ${expected[wrong]}, ${found[wrong]} was told (${expected.length}, ${found.length})`],
);
const read = new Set(told.flatMap(({ event }) => (event.type === 'user_message' ? [event.messageId] : [])));
tally.check('each message is read once', read.size === KILLS ? [] : [`${KILLS} sent, ${read.size} read`]);
tally.check('control', isToldTwice() ? [] : ['who forgets the cursor was told nothing twice']);
console.log(
  `${found.length} records told over ${KILLS + 2} servers, ${duplicates} messages were stored before their answer was lost`,
);
tally.end();

async function killed(server: ChildProcess): Promise<void> {
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}

/** Waits for what comes with a connection; a client waits up to 12.5 s before it tries again. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let look = 0; look < 3_000 && !isTrue(); look += 1) await sleep(20);
}

/** Asks for everything again, each time. */
function forgetful(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.delete('last-event-id');
  return fetch(url, { ...init, headers });
}

async function follow(followed: ClientSession, into: SessionEvent[]): Promise<void> {
  for await (const event of followed.events()) if (RECORDS.includes(event.event.type)) into.push(event);
}

/** A process that has loaded all that a server needs, so that the next server comes while messages are still sent again. */
async function spawned(): Promise<ChildProcess> {
  const child = fork(program, { execArgv: ['--conditions=@x/source', '--no-warnings'] });
  await once(child, 'message');
  return child;
}

async function begun(child: ChildProcess, port: number): Promise<number> {
  const answer = once(child, 'message');
  child.send({ ...place, port });
  const [{ port: own }] = (await answer) as [{ port: number }];
  return own;
}

async function recordsOf(store: ReturnType<typeof sqliteStore>): Promise<SessionEvent[]> {
  const { sessionId } = session;
  const head = (await store.list({ sessionId })).sessions[0]?.head ?? 0;
  const records: SessionEvent[] = [];
  for await (const event of watchSession({ store, sessionId })) {
    if (RECORDS.includes(event.event.type)) records.push(event);
    if (Number.parseInt(event.cursor, 10) >= head) break;
  }
  return records;
}

function lineOf({ cursor, callId = '', event }: SessionEvent): string {
  return `${cursor} ${event.type} ${callId}`;
}
