// Kills a process with SIGKILL at random moments while it imports a session into an SQLite file. Afterwards the session is not there,
// or it is empty (its first entry alone, nothing waiting), or it is whole: entries, what is stored beside them, what waits; whole it is
// whenever the import was acknowledged. The control imports entry by entry, and must be found half done. TRIALS=24, SEED=1
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { userMessage } from '@x/core';
import { exportSession, importSession, memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { storeLarge } from '../src/log/large-body.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const ENTRIES = 2_000;
const [, , role, path = '', mode = ''] = process.argv;
if (role === 'import') await importing();
else await judging();

async function importing(): Promise<void> {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const store = sqliteStore({ path: join(path, 'sessions.db') });
  const told: SessionStore = {
    ...store,
    async create(sessionId, first) {
      process.stdout.write('begun\n');
      await store.create(sessionId, first);
    },
    async append(sessionId, { epoch, head }, entries) {
      if (mode === 'whole') return await store.append(sessionId, { epoch, head }, entries);
      for (const [index, body] of entries.entries())
        await store.append(sessionId, { epoch, head: head + index }, [body]);
      return head + entries.length;
    },
  };
  await importSession(readFileSync(join(path, 'export.jsonl'), 'utf8').split('\n'), { store: told });
  process.stdout.write('done\n');
  await store[Symbol.asyncDispose]();
}

async function judging(): Promise<void> {
  const tally = new Tally();
  const random = randomFrom(numberFrom('SEED', 1));
  const lines = await exportedSession();
  const counts = { absent: 0, empty: 0, whole: 0, acknowledged: 0 };
  for (let trial = 0; trial < amountFrom('TRIALS', 24); trial++) {
    const { found, acknowledged } = await killed(lines, 'whole', random() * 400);
    if (acknowledged) counts.acknowledged += 1;
    if (found !== 'half') counts[found] += 1;
    tally.check(`trial ${trial}`, found === 'half' || (acknowledged && found !== 'whole') ? [`it is ${found}`] : []);
  }
  const { absent, empty, whole, acknowledged } = counts;
  console.log(`${absent} not there, ${empty} empty, ${whole} whole, ${acknowledged} of them acknowledged`);
  let half = 0;
  for (let trial = 0; trial < 5; trial++)
    if ((await killed(lines, 'pieces', 60 + random() * 60)).found === 'half') half += 1;
  console.log(`control, entry by entry: ${half} of 5 half done`);
  tally.check('control, entry by entry', half > 0 ? [] : ['none was noticed']);
  tally.end();
}

type Found = 'absent' | 'empty' | 'half' | 'whole';

async function killed(lines: readonly string[], how: string, afterMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  try {
    await writeFile(join(folder, 'export.jsonl'), lines.join(''));
    const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, 'import', folder, how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let output = '';
    const begun = Promise.withResolvers<void>();
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
      begun.resolve();
    });
    await Promise.race([begun.promise, ended]);
    await sleep(afterMs);
    child.kill('SIGKILL');
    await ended;
    return { found: await stateOf(join(folder, 'sessions.db'), lines), acknowledged: output.includes('done') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function stateOf(file: string, lines: readonly string[]): Promise<Found> {
  const store = sqliteStore({ path: file });
  try {
    const { sessions } = await store.list();
    const [session] = sessions;
    if (!session) return 'absent';
    const waiting = await store.inbox(session.sessionId);
    if (session.head === 1 && waiting.length === 0) return 'empty';
    const found = await Array.fromAsync(exportSession(session.sessionId, { store }));
    return withoutTimes(found) === withoutTimes(lines) ? 'whole' : 'half';
  } catch {
    return 'half'; // not even an export is possible
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** A session with many entries, some of them stored beside the log, and messages that wait. */
async function exportedSession(): Promise<string[]> {
  const store = memoryStore();
  await store.create('s1', { type: 'session_created', format: 1, cwd: '/tmp' });
  const bodies = Array.from({ length: ENTRIES }, (_, number) => {
    const text = `${number} `.repeat(number % 500 === 7 ? 80_000 : 200);
    return { type: 'record', scope: [], record: { type: 'message', message: userMessage(text) } } as const;
  });
  await store.append('s1', { epoch: 0, head: 1 }, await storeLarge(store, 's1', bodies));
  for (const text of ['one', 'two']) await store.enqueue('s1', { message: userMessage(text), priority: 'next' });
  return await Array.fromAsync(exportSession('s1', { store }));
}

function withoutTimes(lines: readonly string[]): string {
  return lines
    .filter((line) => !line.startsWith('{"type":"end"'))
    .join('')
    .replaceAll(/"at":"[^"]*"/g, '');
}
