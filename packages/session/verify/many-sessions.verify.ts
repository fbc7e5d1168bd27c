// 1,000 sessions one after the other, and 1,000 at once, in memory and on SQLite: each has two runs with tools, a command of the shell
// in every tenth, some are left, aborted or resumed, a fork is made of some; all share one AbortSignal. Afterwards memory (after
// garbage collection), handles, open files, child processes and listeners on the shared signal are what they were after 100.
// Controls must be noticed: sessions that are not closed and have a timer, tools that leave a listener, messages that are kept.
// Linux only: reads /proc. SESSIONS=1000
// alone: it compares times and memory
import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, type ModelRequest, objectSchema, textOf } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import {
  createSession,
  type ISession,
  memoryStore,
  resumeSession,
  type SessionOptions,
  type SessionStore,
  sqliteStore,
} from '../src/index.ts';
import { growth, inKilobytes, measure } from './support/measure.ts';
import { numberFrom, Tally } from './support/tally.ts';

const SESSIONS = numberFrom('SESSIONS', 1000);
const FIRST = 100;
/** Bytes: what the engine keeps for itself. A session that leaves two kilobytes behind is over it. */
const SPARE = 1_500_000;

const tally = new Tally();
const shared = new AbortController();
// In memory where there is a place for that: what is left behind does not hang on the disk.
const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'session-verify-'));
const onFile = sqliteStore({ path: join(folder, 'sessions.db') });

for (const [name, store] of [
  ['memory', memoryStore()],
  ['SQLite', onFile],
] as const) {
  const live = (index: number) => oneSession(store, index);
  await flat(`${name}, one after the other`, live, oneByOne);
  await flat(`${name}, at once`, live, atOnce);
}
await controls();
await onFile[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
tally.end();

type Live = (index: number) => Promise<unknown>;
type Many = (live: Live, from: number, upTo: number) => Promise<void>;

async function oneByOne(live: Live, from: number, upTo: number): Promise<void> {
  for (let index = from; index < upTo; index++) await live(index);
}

async function atOnce(live: Live, from: number, upTo: number): Promise<void> {
  await Promise.all(Array.from({ length: upTo - from }, (_, index) => live(from + index)));
}

async function flat(name: string, live: Live, many: Many): Promise<void> {
  const { faults, earlier, later, seconds } = await grown(live, many, SESSIONS);
  console.log(
    `${name}: after ${FIRST} ${inKilobytes(earlier.memory)} kB, after ${SESSIONS} ${inKilobytes(later.memory)} kB, ` +
      `${later.files} files, ${later.handles.length} handles, ${later.children} children (${seconds} s)`,
  );
  tally.check(name, faults);
}

/** What `count` sessions leave behind that the first did not. */
async function grown(live: Live, many: Many, count: number) {
  const startedAt = performance.now();
  await many(live, 0, FIRST);
  const earlier = await measure();
  const listeners = getEventListeners(shared.signal, 'abort').length;
  await many(live, FIRST, count);
  const later = await measure();
  const left = getEventListeners(shared.signal, 'abort').length - listeners;
  const faults = [...growth(earlier, later, SPARE), ...(left > 0 ? [`${left} more listeners on the signal`] : [])];
  return { faults, earlier, later, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

function optionsFor(store: SessionStore): SessionOptions {
  const script = ({ messages }: ModelRequest) => {
    const asked = messages.at(-1);
    if (asked?.role !== 'user') return { text: 'Done.' };
    const shell = textOf(asked).endsWith('0.') ? [{ name: 'Bash', input: { command: 'true' } }] : [];
    const toolCalls = [{ name: 'note' }, { name: 'note' }, ...shell].map((call) => ({
      ...call,
      id: crypto.randomUUID(),
    }));
    return { text: ['One ', 'moment.'], toolCalls };
  };
  const note = defineTool({
    name: 'note',
    description: 'Takes a note.',
    kind: 'readonly',
    inputSchema: objectSchema({}),
    execute: async (_, { signal }) => {
      signal.throwIfAborted();
      return 'noted';
    },
  });
  return {
    provider: { type: 'custom', createModel: (name) => scriptedModel(script, { name }) },
    model: 'scripted',
    permissionMode: 'bypassPermissions',
    tools: [note],
    allowedTools: ['note', 'Bash'],
    store,
  };
}

/** A whole life. What it leaves in the store in memory is removed, as it would count as its own. */
async function oneSession(store: SessionStore, index: number): Promise<void> {
  const options = optionsFor(store);
  let session = await createSession(options);
  const { sessionId } = session;
  await converse(session, index);
  if (index % 5 === 0) {
    await session.close();
    session = await resumeSession({ ...options, sessionId });
  }
  await converse(session, index + 1);
  if (index % 13 === 0) await oneFork(session, store);
  await session.close();
  if (store !== onFile) await store.remove(sessionId);
}

async function oneFork(session: ISession, store: SessionStore): Promise<void> {
  const fork = await session.fork();
  await converse(fork, 1);
  await fork.close();
  if (store !== onFile) await store.remove(fork.sessionId);
}

async function converse(session: ISession, index: number): Promise<void> {
  await session.send(`Message ${index}.`, { signal: shared.signal });
  let isSteered = index % 3 !== 0;
  for await (const { type } of session.stream()) {
    if (index % 7 === 0 && type === 'tool_use') break;
    if (index % 11 === 0 && type === 'content') session.abort();
    if (isSteered || type !== 'tool_result') continue;
    isSteered = true;
    await session.send('And this.', { signal: shared.signal });
  }
}

/** The same with something left behind each time. */
async function controls(): Promise<void> {
  const store = memoryStore();
  const kept: unknown[] = [];
  const timers: NodeJS.Timeout[] = [];
  const unclosed: Live = async (index) => {
    const session = await createSession(optionsFor(store));
    await converse(session, index);
    timers.push(setInterval(() => session.messages, 60_000));
  };
  const listening: Live = async () => {
    shared.signal.addEventListener('abort', () => undefined);
  };
  const keeping: Live = async (index) => {
    const session = await createSession(optionsFor(store));
    await converse(session, index);
    kept.push(session, ...session.messages);
    await session.close();
    await store.remove(session.sessionId);
  };
  for (const [name, live] of Object.entries({ unclosed, listening, keeping })) {
    const { faults } = await grown(live, oneByOne, SESSIONS);
    console.log(`control, ${name}: ${faults.join('; ')}`);
    tally.check(`control, ${name}`, faults.length > 0 ? [] : ['the harness saw nothing']);
    for (const timer of timers.splice(0)) clearInterval(timer);
  }
}
