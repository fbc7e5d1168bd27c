// One process sends, another runs, two people watch; the one that runs is killed with -9, and nobody misses anything.
// With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) the worker talks to the real service, else to a scripted one on this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, resumeSession, type SessionEvent, sqliteStore, textOf, watchSession } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const folder = await mkdtemp(join(tmpdir(), 'worker-'));
const path = join(folder, 'sessions.db');
const { provider, model, stop } = await serviceOr(script);
const store = sqliteStore({ path });
const workers: ChildProcess[] = [];
try {
  const session = await createSession({ provider, model, store });
  const { sessionId } = session;
  const started = Promise.withResolvers<void>();
  const anna = watch('Anna', sessionId, { onTool: started.resolve });

  console.log('A worker waits in another process. This one sends, and runs nothing.');
  const first = await startWorker('slow');
  await session.send('How many lamps do we have?');
  await session.close();
  await started.promise;

  first.kill('SIGKILL');
  await once(first, 'exit');
  console.log('The worker was killed with -9 in the middle of its tool. Another one starts.');
  const second = await startWorker('fast');
  const events = await anna;

  console.log('\nBen comes later, with the cursor that Anna had after her third event:');
  const from = events[2]?.cursor;
  const rest = await watch('Ben', sessionId, from === undefined ? {} : { from });
  console.log(`\nAnna has seen ${events.length} events, Ben the last ${rest.length} of them, each once.`);

  second.kill('SIGTERM'); // it lets its runs end
  await once(second, 'exit');
  const again = await resumeSession({ provider, model, store, sessionId });
  console.log(`The conversation has ${again.messages.length} messages.`);
  await again.close();
  process.exitCode = rest.length === events.length - 3 ? 0 : 1;
} finally {
  for (const worker of workers) worker.kill('SIGKILL');
  await store[Symbol.asyncDispose]();
  await stop();
  await rm(folder, { recursive: true });
}

/** Where a reader begins; `onTool` is called when it is told that a tool was started. */
interface Watching {
  readonly from?: string;
  readonly onTool?: () => void;
}

/** Follows the session to the end of its next run; what it is told, it prints. */
async function watch(name: string, sessionId: string, { onTool, ...where }: Watching): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for await (const one of watchSession({ store, sessionId, ...where })) {
    if (one.event.type === 'tool_running') continue; // as often as the machine is slow
    seen.push(one);
    console.log(`  ${name} sees ${lineOf(one)}`);
    if (one.event.type === 'tool_started') onTool?.();
    if (one.event.type === 'result') break;
  }
  return seen;
}

function lineOf({ event }: SessionEvent): string {
  if (event.type === 'user_message') return `user_message: ${event.content}`;
  if (event.type === 'message' && event.message.role === 'assistant') return `message: ${textOf(event.message)}`;
  if (event.type === 'tool_result') return `tool_result: ${event.output}`;
  return event.type === 'result' ? `result: ${event.subtype}` : event.type;
}

/** Resolves when it serves. */
async function startWorker(pace: string): Promise<ChildProcess> {
  const { apiKey, baseUrl } = provider;
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), path, pace], {
    env: { ...process.env, OPENAI_API_KEY: apiKey, MODEL: model, ...(baseUrl ? { OPENAI_BASE_URL: baseUrl } : {}) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  workers.push(worker);
  await told(worker, 'serves');
  return worker;
}

/** Resolves when the worker says so. */
async function told(worker: ChildProcess, what: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message) => message === what && resolve());
    worker.once('exit', (code, signal) => reject(new Error(`The worker has ended with ${code ?? signal}`)));
  });
}
