// Sessions whose calls change files by tools and by the shell are killed with SIGKILL at random moments. Each then rewinds to its first
// message: what it says to have restored must be as it was, what it does not say must be among the conflicts, files of the user untouched,
// and with `force` all must be as it was, byte for byte; half of the kills wait for a change that no look has seen. Control: without the note of the calls at work, a rewind that says success lies.
// KILLS=20, CONTROLS=6, SEED=1
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type * as Sqlite from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedModel } from '@x/core/testing';
import { picture } from '../../checkpoint/test/picture.ts';
import { resumeSession, sqliteStore } from '../src/index.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const [KILLS, CONTROLS, seed] = [amountFrom('KILLS', 20), numberFrom('CONTROLS', 6), numberFrom('SEED', 1)];
const LONGEST_MS = 700;

const tally = new Tally();
const random = randomFrom(seed);
const around = realpathSync(mkdtempSync(join(tmpdir(), 'kill-checkpoints-')));
process.env['AGENT_SDK_HOME'] = join(around, 'home');
try {
  let inHand = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const { faults, conflicts } = await trial(`kill-${kill}`, { forgets: false });
    tally.check(`kill ${kill}`, faults);
    if (conflicts > 0) inHand += 1;
  }
  console.log(`${KILLS} kills, seed ${seed}: ${inHand} in the middle of a change, told as conflicts`);
  let lies = 0;
  for (let kill = 0; kill < CONTROLS; kill++) {
    if ((await trial(`control-${kill}`, { forgets: true })).faults.length > 0) lies += 1;
  }
  console.log(`control, which forgets the calls at work: ${lies} of ${CONTROLS} lied, as they must`);
  tally.check('control', lies > 0 ? [] : ['nothing was noticed']);
} finally {
  rmSync(around, { recursive: true });
}
tally.end();

async function trial(name: string, { forgets }: { readonly forgets: boolean }) {
  const [folder, path] = [join(around, name, 'work'), join(around, name, 'sessions.db')];
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 4; at++) writeFileSync(join(folder, `f${at}`), `as it was ${at}\n`);
  const before = picture(folder);
  const { sessionId, message } = await killed({ folder, path, waitsForChange: forgets || random() < 0.5 });
  if (forgets) forgetCallsAtWork(join(process.env['AGENT_SDK_HOME']!, 'checkpoints', `${sessionId}.db`));
  writeFileSync(join(folder, 'mine'), 'made while nobody ran');

  const store = sqliteStore({ path });
  const provider = { type: 'custom' as const, createModel: () => scriptedModel([]) };
  const options = { provider, model: 'm', store, sessionId, enableFileCheckpointing: true, takeOver: true };
  const session = await resumeSession(options);
  const first = await session.rewindFiles(message);
  const unlike = differences(picture(folder), { ...before, mine: '644 made while nobody ran' });
  const told = new Set(first.conflicts.map((place) => place.slice(folder.length + 1)));
  const isTold = (path: string) => [...told].some((one) => one === path || one.startsWith(`${path}/`)); // a directory stays with what is in it
  const faults = unlike.filter((one) => !isTold(one)).map((one) => `${one} is not as it was, and nobody said so`);
  if (first.success && unlike.length > 0) faults.push(`success, and ${unlike.join()} differ`);
  const names = Object.keys(picture(folder)).filter((one) => one !== 'mine');
  const isBegun = !first.errors.some(({ error }) => error.startsWith('There is no checkpoint')); // else no call had run
  if (!forgets && isBegun) {
    const forced = await session.rewindFiles(message, {
      force: true,
      paths: [...new Set([...names, ...Object.keys(before)])],
    });
    const left = differences(picture(folder), { ...before, mine: '644 made while nobody ran' });
    if (!forced.success || left.length > 0)
      faults.push(`forced, and ${left.join()} differ: ${JSON.stringify(forced.errors)}`);
  }
  await session.close();
  await store[Symbol.asyncDispose]();
  return { faults, conflicts: [...told].filter((one) => one !== 'mine').length };
}

interface Killing {
  readonly folder: string;
  readonly path: string;
  /** Kills at a moment at which a file is not as the last look has seen it. */
  readonly waitsForChange: boolean;
}

async function killed({ folder, path, waitsForChange }: Killing) {
  const program = join(import.meta.dirname, 'support/checkpointed-worker.ts');
  const values = [path, folder, `${Math.floor(random() * 1e6)}`];
  const child = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', program, ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const [sessionId = '', message = ''] = String(line.value).split(' ');
  await sleep(random() * LONGEST_MS);
  if (waitsForChange) {
    const seen = glance(folder);
    while (glance(folder) === seen) await sleep(0);
  }
  child.kill('SIGKILL');
  await exit;
  return { sessionId, message };
}

/** A picture while it changes. */
function glance(folder: string): string {
  try {
    return JSON.stringify(picture(folder));
  } catch {
    return 'a file has gone in between';
  }
}

function forgetCallsAtWork(file: string): void {
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite') as typeof Sqlite;
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM facts WHERE name = 'atWork'");
  database.close();
}

function differences(one: Record<string, string>, other: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  // What a killed write leaves is swept by a later one.
  return [...paths].filter((path) => one[path] !== other[path] && !path.includes('.agent-sdk-tmp-'));
}
