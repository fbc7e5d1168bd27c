// A server of sessions is killed with -9 at random moments of streamed runs, and another goes on over the same file. Its clients send with
// keys, again until they are told that a message is stored, and follow by Last-Event-ID: each must be told every record of the log exactly once,
// every message must be read once, every run must end, no effect come twice. The control, a client that ignores cursors, must fail.
// KILLS=100, or 5 when not all is run; CLIENTS=4 (sessions that each kill cuts off), FIRST=1 (the seed)
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SessionEvent, sqliteStore, watchSession } from '@x/session';
import { IS_WHOLE, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { Client, RECORDS } from './support/killed-client.ts';

const KILLS = numberFrom('KILLS', IS_WHOLE ? 100 : 5);
const CLIENTS = numberFrom('CLIENTS', 4);
const FIRST = numberFrom('FIRST', 1);
const program = fileURLToPath(new URL('support/killed-server.ts', import.meta.url));

const cache = await mkdtemp(join(tmpdir(), 'http-kill-cache-'));
const tally = new Tally();
const startedAt = performance.now();
const { faults, sent, seen, resumed, doubtful } = await played({ kills: KILLS, hasCursors: true });
tally.check(`${KILLS} servers killed`, faults);
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(
  `${KILLS} servers killed with -9 in ${seconds} s, each in ${CLIENTS} streamed sessions: ${sent} messages, ${seen} records told, ` +
    `${resumed} runs gone on with, ${doubtful} requests without an answer`,
);
const control = await played({ kills: 3, hasCursors: false });
console.log(`control, a client that ignores cursors: ${control.faults[0] ?? 'nothing noticed'}`);
tally.check(
  'control, a client that ignores cursors',
  control.faults.length > 0 ? [] : ['the harness saw nothing wrong'],
);
await rm(cache, { recursive: true });
tally.end();

interface Plan {
  readonly kills: number;
  readonly hasCursors: boolean;
}

async function played({ kills, hasCursors }: Plan) {
  const folder = await mkdtemp(join(tmpdir(), 'http-kill-'));
  const place = { path: join(folder, 'sessions.db'), noted: join(folder, 'effects') };
  await writeFile(place.noted, '');
  const random = randomFrom(FIRST);
  const clients = Array.from({ length: CLIENTS }, () => new Client(hasCursors));
  const all = (act: (client: Client) => Promise<void>) => Promise.all(clients.map(act));
  let next = spawned();
  for (let kill = 0; kill <= kills; kill += 1) {
    const child = await next;
    const url = await begun(child, place);
    if (kill === 0) await all((client) => client.make(url));
    if (kill < kills) next = spawned(); // it loads while this one works
    const following = all((client) => client.follow(url));
    const sending = all((client) => client.send(url));
    if (random() < 0.7) await sending; // else it may be killed in the middle of the requests
    if (kill < kills) await sleep(random() * 80);
    else await all((client) => client.done(url));
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await Promise.all([exit, following, sending]);
  }
  const store = sqliteStore({ path: place.path });
  const faults = (await Promise.all(clients.map((client) => faultsOf(client, store)))).flat();
  faults.push(...twice(readFileSync(place.noted, 'utf8').trim().split('\n'), 'effect'));
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  const told = clients.flatMap((client) => client.told);
  const sum = (of: 'sent' | 'doubtful') => clients.reduce((sums, client) => sums + client[of], 0);
  const resumed = told.filter(({ event }) => event.type === 'run_resumed').length;
  return { faults, sent: sum('sent'), seen: told.length, resumed, doubtful: sum('doubtful') };
}

async function spawned(): Promise<ChildProcess> {
  const env = { ...process.env, NODE_COMPILE_CACHE: cache }; // most of a life is loading
  const child = fork(program, { env, execArgv: ['--conditions=@x/source', '--no-warnings'] });
  await once(child, 'message');
  return child;
}

async function begun(child: ChildProcess, place: object): Promise<string> {
  const answer = once(child, 'message');
  child.send(place);
  const [{ port }] = (await answer) as [{ port: number }];
  return `http://127.0.0.1:${port}/v1/sessions`;
}

/** The differences between the events that a client was told and those that the log holds. */
async function faultsOf(
  { told, sessionId, sent, refusals }: Client,
  store: ReturnType<typeof sqliteStore>,
): Promise<string[]> {
  const head = (await store.list({ sessionId })).sessions[0]?.head ?? 0;
  const inLog: SessionEvent[] = [];
  for await (const event of watchSession({ store, sessionId })) {
    if (RECORDS.includes(event.event.type)) inLog.push(event);
    if (Number.parseInt(event.cursor, 10) >= head) break;
  }
  const [expected, found] = [inLog.map(lineOf), told.map(lineOf)];
  const first = expected.findIndex((line, index) => line !== found[index]);
  const isSame = first < 0 && expected.length === found.length;
  const messages = told.filter(({ event }) => event.type === 'user_message').map(({ messageId = '' }) => messageId);
  const started = inLog.filter(({ event }) => event.type === 'run_started').length;
  const ended = inLog.filter(({ event }) => event.type === 'result').length;
  return [
    ...refusals,
    ...(isSame
      ? []
      : [
          `record ${first}: ${expected[first]} in the log, ${found[first]} was told (${expected.length}, ${found.length})`,
        ]),
    ...twice(messages, 'message'),
    ...(messages.length === sent ? [] : [`${sent} messages were stored, ${messages.length} were read`]),
    ...(started === ended ? [] : [`${started} runs have begun, ${ended} have ended`]),
  ];
}

function lineOf({ cursor, callId = '', event }: SessionEvent): string {
  return `${cursor} ${event.type} ${callId}`;
}

function twice(all: readonly string[], what: string): string[] {
  return all.filter((one, index) => one !== '' && all.indexOf(one) !== index).map((one) => `${what} ${one} came twice`);
}
