// Organisations whose process is killed with -9 at random moments and made again from the same store. Root starts three workers, each has
// two effects, tries a tool outside its groups and answers. In the end root must have heard every answer of every worker once, no
// effect may come twice, no tool outside the groups may have run. The control, a store that keeps no answers, must fail.
// ROUNDS=3, KILLS=6 (of each round), SEED=1
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EntryBody, listSessions, type SessionStore, sqliteStore } from '../src/index.ts';
import { bodiesOf } from '../test/support/makers.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const ROUNDS = amountFrom('ROUNDS', 3);
const KILLS = amountFrom('KILLS', 6);
const random = randomFrom(numberFrom('SEED', 1));
const tally = new Tally();

for (let round = 0; round < ROUNDS; round++) {
  const startedAt = performance.now();
  const { faults, killed, answers, effects } = await trial({ kills: KILLS, mode: 'keeping', patienceMs: 20_000 });
  tally.check(`round ${round}`, faults);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`round ${round}: killed ${killed} times, ${answers} answers heard, ${effects} effects (${seconds} s)`);
}
const control = await trial({ kills: 0, mode: 'forgetting', patienceMs: 5_000 });
tally.check(
  'control, a store that keeps no answers',
  control.faults.length > 0 ? [] : ['the harness saw nothing wrong'],
);
console.log(`control, a store that keeps no answers: ${control.faults[0] ?? 'nothing noticed'}`);
tally.end();

interface Trial {
  readonly kills: number;
  readonly mode: 'keeping' | 'forgetting';
  readonly patienceMs: number;
}

async function trial({ kills, mode, patienceMs }: Trial) {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const [path, noted] = [join(folder, 'sessions.db'), join(folder, 'effects')];
  await writeFile(noted, '');
  const args = [path, join(folder, 'roles'), noted, mode];
  let killed = 0;
  let said: string | undefined;
  for (let kill = 0; kill < kills && said === undefined; kill++) {
    const worker = start(args);
    said = await Promise.race([
      lastWord(worker),
      begun(worker)
        .then(() => sleep(random() * 80))
        .then(() => undefined),
    ]);
    if (said !== undefined) break;
    await end(worker);
    killed += 1;
  }
  if (said === undefined) {
    const worker = start(args);
    said = await Promise.race([lastWord(worker), sleep(patienceMs).then(() => undefined)]);
    if (said === undefined) await end(worker);
  }
  const store = sqliteStore({ path });
  const seen = await look(store);
  await store[Symbol.asyncDispose]();
  const keys = readFileSync(noted, 'utf8').trim().split('\n').filter(Boolean);
  await rm(folder, { recursive: true });
  const faults = [
    ...(said === 'ended All done.' ? [] : [`root said ${JSON.stringify(said)}`]),
    ...seen.faults,
    ...keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `the effect of ${key} came twice`),
    ...(keys.includes('forbidden') ? ['a tool outside the groups has run'] : []),
  ];
  return { faults, killed, answers: seen.answers, effects: keys.length };
}

/** Every run of a worker that has ended well was heard by root, once. */
async function look(store: SessionStore) {
  const { sessions } = await listSessions({ store, limit: 100 });
  const root = sessions.find(({ metadata }) => metadata?.['agent'] === 'root');
  const heard = root ? (await bodiesOf(store, root.sessionId)).flatMap(answerIn) : [];
  const faults: string[] = heard
    .filter((id, index) => heard.indexOf(id) !== index)
    .map((id) => `${id} was heard twice`);
  let runs = 0;
  for (const { sessionId, metadata } of sessions) {
    if (metadata?.['agent'] === undefined || metadata['agent'] === 'root') continue;
    let messageId = '';
    for (const body of await bodiesOf(store, sessionId)) {
      if (body.type === 'run_started') messageId = body.messageId;
      if (body.type !== 'run_ended' || body.subtype !== 'success') continue;
      runs += 1;
      const id = `answer:${sessionId}:${messageId}`;
      if (!heard.includes(id)) faults.push(`${id} was not heard`);
    }
  }
  if (heard.length !== runs) faults.push(`${heard.length} answers to ${runs} runs`);
  return { faults, answers: heard.length };
}

function answerIn(body: EntryBody): string[] {
  if (body.type !== 'record' || body.record.type !== 'message') return [];
  const { id } = body.record.message;
  return id.startsWith('answer:') ? [id] : [];
}

function start(args: readonly string[]): ChildProcess {
  const program = join(import.meta.dirname, 'support/organization-worker.ts');
  return spawn(process.execPath, ['--conditions=@x/source', program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

async function begun(worker: ChildProcess): Promise<void> {
  await once(worker, 'message');
}

/** What the worker says at its end. */
async function lastWord(worker: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    worker.on('message', (message) => {
      if (typeof message === 'string' && message.startsWith('ended ')) resolve(message);
    });
    worker.on('close', (code) => {
      if (code !== null && code !== 0) resolve(`nothing, it ended with ${code}`);
    });
  });
}

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'close');
  worker.kill('SIGKILL');
  await ended;
}
