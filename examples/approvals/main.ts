// Asked today, answered later by another process: each step below is a process of its own, and none of them waits for a person.
// With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) the session talks to the real service, else to a scripted one on this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSessions, sqliteStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const folder = await mkdtemp(join(tmpdir(), 'approvals-'));
const path = join(folder, 'sessions.db');
const { provider, model, stop } = await serviceOr(script);
try {
  console.log('A process asks the model, and ends when only a person can go on:');
  const sessionId = await run('session.ts', path);

  for (let round = 1; (await waiting()) > 0 && round < 10; round++) {
    console.log('\nA person looks at what waits, from another process:');
    await run('person.ts', path);
    console.log('\nA third process goes on, at the very calls that were asked about:');
    await run('session.ts', path, sessionId);
  }

  const paid = readFileSync(`${path}.paid`, 'utf8').trim();
  console.log(`\nPaid, each once: ${paid.replaceAll('\n', ', ')}`);
  process.exitCode = paid.split('\n').length === 1 ? 0 : 1;
} finally {
  await stop();
  await rm(folder, { recursive: true });
}

/** Sessions that wait for an answer. */
async function waiting(): Promise<number> {
  const store = sqliteStore({ path });
  const { sessions } = await listSessions({ store, state: 'waiting' });
  await store[Symbol.asyncDispose]();
  return sessions.length;
}

/** Runs a program to its end; resolves to the id that it has sent. */
async function run(program: string, ...values: string[]): Promise<string> {
  const { apiKey, baseUrl } = provider;
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...values], {
    env: { ...process.env, OPENAI_API_KEY: apiKey, MODEL: model, ...(baseUrl ? { OPENAI_BASE_URL: baseUrl } : {}) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let id = '';
  child.on('message', (message) => {
    if (typeof message === 'string') id = message;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} has ended with ${code}`);
  return id;
}
