// A front and two workers, each a process of its own: a client sends to the front, one worker takes the message and is killed with -9, the other
// one answers it. In Postgres with DATABASE_URL, else in a file; with OPENAI_API_KEY the workers talk to the real service.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionEvent, textOf } from '@x/agent-sdk';
import { createClient } from '@x/agent-sdk/http/client';
import { serviceOr } from 'fake-provider';
import { script } from './agent.ts';

const folder = await mkdtemp(join(tmpdir(), 'many-workers-'));
const { provider, model, stop } = await serviceOr(script, { firstWordMs: 50, wordsPerSecond: 20 }); // time to be seen
const token = crypto.randomUUID();
const isPostgres = Boolean(process.env['DATABASE_URL']);
const programs: ChildProcess[] = [];
try {
  console.log(`Sessions are kept in ${isPostgres ? 'Postgres, the asks for runs in pg-boss' : 'a file'}.`);
  const { said: baseUrl } = await started('front.ts');
  const first = await started('worker.ts', { COUNT_MS: '600000' });
  const session = await createClient({ baseUrl, token }).sessions.create();
  const { status } = await session.send('How many lamps do we have?');
  console.log(`The client has sent a message to the front: ${status}.`);

  let second: ChildProcess | undefined;
  for await (const told of session.events()) {
    const line = lineOf(told);
    if (line) console.log(`  the client sees ${line}`);
    if (told.event.type === 'result') break;
    if (told.event.type !== 'tool_started' || second) continue;
    second = (await started('worker.ts', { COUNT_MS: '100' })).program;
    first.program.kill('SIGKILL');
    await once(first.program, 'exit');
    const wait = isPostgres ? ' The session is free when its lease has run out, after 30 seconds.' : '';
    console.log(`Worker ${first.program.pid} was killed with -9 while it counts.${wait}`);
  }

  const row = await session.get();
  const { messages } = await session.messages();
  console.log(`The session is ${row.state}, with ${messages.length} messages.`);
  for (const program of programs.filter(({ signalCode, exitCode }) => (signalCode ?? exitCode) === null)) {
    program.kill('SIGTERM');
    await once(program, 'exit');
  }
  console.log('The front and the other worker have ended.');
} finally {
  for (const program of programs) program.kill('SIGKILL');
  await stop();
  await rm(folder, { recursive: true });
}

/** Starts a program of this folder; resolves with its first word when it is ready. */
async function started(name: string, more: NodeJS.ProcessEnv = {}) {
  const { apiKey, baseUrl } = provider;
  const service = { OPENAI_API_KEY: apiKey, MODEL: model, ...(baseUrl ? { OPENAI_BASE_URL: baseUrl } : {}) };
  const settings = {
    HTTP_TOKEN: token,
    PORT: '0',
    LOG_LEVEL: 'warn',
    SESSIONS_DB: join(folder, 'sessions.db'),
    ...service,
    ...more,
  };
  const program = spawn(process.execPath, [join(import.meta.dirname, name)], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  programs.push(program);
  const said = await new Promise<string>((resolve, reject) => {
    program.once('message', (message) => resolve(message as string)); // safe: our own programs send texts
    program.once('exit', (code, signal) => reject(new Error(`${name} has ended with ${code ?? signal}`)));
  });
  return { program, said };
}

function lineOf({ event }: SessionEvent): string | undefined {
  if (event.type === 'content') return `content: ${JSON.stringify(event.delta)}`; // live: from Postgres alone
  if (event.type === 'user_message') return `user_message: ${event.content}`;
  if (event.type === 'message' && event.message.role === 'assistant') return `message: ${textOf(event.message)}`;
  if (event.type === 'tool_result') return `tool_result: ${event.output}`;
  if (event.type === 'result') return `result: ${event.subtype}`;
  return event.type === 'tool_started' || event.type === 'run_resumed' ? event.type : undefined;
}
