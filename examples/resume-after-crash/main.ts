// A process is killed with -9 while two tools are under way that cannot be taken back; this one goes on with its session.
// With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) both talk to the real service, else to a scripted one on this machine.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EntryBody, resumeSession, type SessionStore, sqliteStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { lookUp, officeTools } from './office.ts';
import { script } from './script.ts';

const folder = await mkdtemp(join(tmpdir(), 'resume-after-crash-'));
const [database, ledger] = [join(folder, 'sessions.db'), join(folder, 'ledger.txt')];
const { provider, model, stop } = await serviceOr(script);
const store = sqliteStore({ path: database });
try {
  const sessionId = await killedInTheMiddle();
  console.log('The first process was killed with -9. Its log:\n');
  const recorded = await printLog(store, sessionId);

  console.log('\nAnother process goes on.\n');
  const session = await resumeSession({
    sessionId,
    provider,
    model,
    store,
    tools: officeTools(ledger, (name) => console.log(`  ${name} has had its effect AGAIN`)),
    allowedTools: ['pay', 'write_letter'],
    reconcile: lookUp(ledger, sessionId),
  });
  for await (const event of session.stream()) {
    if (event.type === 'tool_result') console.log(`  ⎿ ${event.name}: ${event.output}`);
    if (event.type === 'result') console.log(`\n${event.subtype}: ${event.content ?? event.error ?? ''}\n`);
  }
  await session.close();

  console.log('What it has added to the log:\n');
  await printLog(store, sessionId, recorded);
  const effects = (await readFile(ledger, 'utf8')).trim().split('\n');
  console.log(`\nEffects in the world outside: ${effects.length}, as many as calls.`);
  process.exitCode = effects.length === 2 ? 0 : 1;
} finally {
  await store[Symbol.asyncDispose]();
  await stop();
  await rm(folder, { recursive: true });
}

/** Runs the first process until both tools have had their effect and neither has come back; answers with the id of its session. */
async function killedInTheMiddle(): Promise<string> {
  const { apiKey, baseUrl } = provider;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'first.ts'), database, ledger], {
    env: { ...process.env, OPENAI_API_KEY: apiKey, MODEL: model, ...(baseUrl ? { OPENAI_BASE_URL: baseUrl } : {}) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let sessionId = '';
  let effects = 0;
  child.on('message', (told: { readonly sessionId?: string; readonly effect?: string }) => {
    sessionId = told.sessionId ?? sessionId;
    if (told.effect !== undefined && ++effects === 2) child.kill('SIGKILL');
  });
  const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
  if (signal !== 'SIGKILL') throw new Error('The first process has ended before it was killed');
  return sessionId;
}

/** Prints the entries behind `after`, a line each, with the number of their owner; answers with the number of the last. */
async function printLog(from: SessionStore, sessionId: string, after = 0): Promise<number> {
  let last = after;
  for await (const { seq, epoch, body } of from.read(sessionId, { after })) {
    console.log(`${String(seq).padStart(3)}  owner ${epoch}  ${lineOf(body)}`);
    last = seq;
  }
  return last;
}

function lineOf(body: EntryBody): string {
  if (body.type === 'run_ended') return `run_ended: ${body.subtype}`;
  if (body.type !== 'record') return body.type;
  const { record } = body;
  if (record.type === 'note') return `note: ${record.name.split(':')[0] ?? ''}`;
  if (record.type === 'message') return `message of the ${record.message.role}`;
  if (record.type === 'tool_started') return `tool_started: ${record.name}, ${record.effect}`;
  if (record.type !== 'tool_finished') return record.type;
  return `tool_finished: ${record.result.interrupted === 'unknown' ? 'effect not known' : record.result.output}`;
}
