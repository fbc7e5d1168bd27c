// Sessions that end the process of their worker again and again (a tool that kills it, a tool that uses up its memory, a handler that
// kills it before each model call) among innocent ones, over one file. Workers are started until one has nothing left to do: no call
// may begin more than twice, no run more than five times, every session must come to its end, and the innocent ones with success.
// Control, a log that does not say that a run was taken up again: must be noticed.
// INNOCENT=12
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModel } from '@x/core/testing';
import { createSession, type SessionStore, sqliteStore } from '../src/index.ts';
import { bodiesOf } from '../test/support/makers.ts';
import { numberFrom, Tally } from './support/tally.ts';

const INNOCENT = numberFrom('INNOCENT', 12);
/** More than any of the cases needs; a control needs fewer to be noticed. */
const MOST_WORKERS = { counting: 12, 'not-counting': 4 };
/** How often each kind may begin. */
const LIMITS: Readonly<Record<string, number>> = { kills: 2, fills: 2, breaks: 5 };

const tally = new Tally();
for (const poisons of [['kills'], ['fills'], ['breaks'], ['kills', 'breaks', 'kills']]) {
  const { faults, workers, seconds } = await trial(poisons, 'counting');
  tally.check(poisons.join(', '), faults);
  console.log(`${poisons.join(', ')} among ${INNOCENT} innocent: ${workers} workers (${seconds} s)`);
}
const { faults: seen } = await trial(['kills'], 'not-counting');
console.log(`control, a log without take-ups: ${seen[0] ?? 'nothing noticed'}`);
tally.check('control, a log without take-ups', seen.length > 0 ? [] : ['the harness saw nothing wrong']);
tally.end();

async function trial(poisons: readonly string[], counting: 'counting' | 'not-counting') {
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const [path, noted] = [join(folder, 'sessions.db'), join(folder, 'noted')];
  await writeFile(noted, '');
  const store = sqliteStore({ path });
  const innocent = await sessionsSaying(store, Array<string>(INNOCENT).fill('works'));
  const poisoned = await sessionsSaying(store, poisons);
  let workers = 0;
  let code: number | null = null;
  while (code !== 0 && workers < MOST_WORKERS[counting]) {
    workers += 1;
    code = await worker([path, noted, counting]);
  }
  const faults = code === 0 ? [] : [`${workers} workers have ended, and there is still something to do`];
  for (const kind of new Set(poisons)) {
    const begun = readFileSync(noted, 'utf8')
      .split('\n')
      .filter((line) => line === kind).length;
    const most = LIMITS[kind]! * poisons.filter((one) => one === kind).length;
    if (begun === 0 || begun > most) faults.push(`${kind} began ${begun} times, at most ${most} are allowed`);
  }
  for (const id of innocent)
    if ((await endOf(store, id)) !== 'success') faults.push(`an innocent session: ${await endOf(store, id)}`);
  for (const [index, id] of poisoned.entries()) {
    const wanted = poisons[index] === 'breaks' ? 'RUN_CRASHES' : 'success';
    const end = await endOf(store, id);
    if (end !== wanted) faults.push(`the session that ${poisons[index]} its worker: ${end}, not ${wanted}`);
  }
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  return { faults, workers, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

/** How the last run of a session has ended. */
async function endOf(store: SessionStore, sessionId: string): Promise<string> {
  const ended = (await bodiesOf(store, sessionId)).findLast(({ type }) => type === 'run_ended');
  return ended?.type === 'run_ended' ? (ended.error?.code ?? ended.subtype) : 'not ended';
}

async function sessionsSaying(store: SessionStore, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const createModel = () => scriptedModel([]);
    const session = await createSession({ provider: { type: 'custom', createModel }, model: 'm', store });
    await session.send(text);
    await session.close();
    ids.push(session.sessionId);
  }
  return ids;
}

/** Its exit code; null when a signal has ended it. */
async function worker(args: readonly string[]): Promise<number | null> {
  const program = join(import.meta.dirname, 'support/poisoned-worker.ts');
  const flags = ['--conditions=@x/source', '--max-old-space-size=96', '--no-warnings'];
  const child = spawn(process.execPath, [...flags, program, ...args], { stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}
