import { PGlite } from '@electric-sql/pglite';
import type { ModelRequest, ModelStream } from '@x/core';
import { type Script, scriptedModel } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type CustomProvider,
  createSession,
  type ISession,
  type SessionEvent,
  type SessionStore,
  watchSession,
} from '../../src/index.ts';
import { type PostgresClient, type PostgresStoreOptions, postgresStore } from '../../src/postgres/index.ts';
import { isRecord, lineOf, toldRecords } from '../support/followed.ts';
import { say } from '../support/makers.ts';
import { judgePieces } from '../support/told-pieces.ts';

const WAIT = { timeout: 45_000 };
let client: PGlite;
let stores = 0;
beforeAll(async () => {
  client = await PGlite.create();
}, 240_000);
afterAll(() => client.close());

/** Stores on the same tables, as processes have them, and the notifications that they send. */
function twoStores() {
  const schema = `s${(stores += 1)}`;
  const notified: string[] = [];
  const counted: PostgresClient = {
    query(text, values) {
      if (text.includes('pg_notify')) notified.push(...(values?.[1] as string[])); // safe: the texts
      return client.query(text, values);
    },
    transaction: (work) => client.transaction(work),
    listen: (channel, callback) => client.listen(channel, callback),
  };
  const open = () => postgresStore({ client: counted, schema });
  return { store: open(), elsewhere: open(), notified };
}

const pieces = (seen: readonly SessionEvent[]) => seen.filter(({ event }) => event.type === 'content').length;

/** A model that goes on with its reply when a reader has seen each piece of it; `seen` of who reads everything. */
function gated(seen: readonly SessionEvent[]): CustomProvider {
  const model = scriptedModel(SCRIPT);
  async function* stream(request: ModelRequest): ModelStream {
    const events = model.stream(request);
    for (let count = pieces(seen); ; ) {
      const step = await events.next();
      if (step.done) return step.value;
      yield step.value;
      if (step.value.type !== 'content') continue;
      count += 1;
      await vi.waitUntil(() => pieces(seen) === count, WAIT);
    }
  }
  return { type: 'custom', createModel: () => ({ ...model, stream }) };
}
const SCRIPT: Script = ({ instruction, messages }) => {
  if (instruction.includes('inner agent')) return { text: ['I look', ' around.'] };
  if (messages.some(({ role }) => role === 'tool')) return { text: ['All ', 'is ', 'said.'] };
  const input = { subagent_type: 'inner', description: 'Look.', prompt: 'Look.' };
  return { text: ['I ', 'ask.'], thinking: ['Hm', 'm.'], toolCalls: [{ id: 'c', name: 'Task', input }] };
};
const agents = [{ name: 'inner', description: 'Looks.', systemPrompt: 'You are the inner agent.' }];
const ungated = { type: 'custom', createModel: () => scriptedModel(SCRIPT) } as const;

async function collect(events: AsyncGenerator<SessionEvent, void, void>, seen: SessionEvent[]): Promise<void> {
  for await (const event of events) {
    seen.push(event);
    if (event.event.type === 'result') break;
  }
}

async function end(session: ISession, ...all: SessionStore[]): Promise<void> {
  await session.close();
  for (const store of all) await store[Symbol.asyncDispose]();
}

describe('a reader with another store on the same tables', () => {
  it('is told the pieces of replies as they come, those of a subagent with its path, and each before its record', async () => {
    const { store, elsewhere } = twoStores();
    const seen: SessionEvent[] = [];
    const session = await createSession({ provider: gated(seen), model: 'm', store, agents, allowedTools: ['Task'] });
    const { sessionId } = session;
    const reading = collect(watchSession({ store: elsewhere, sessionId }), seen);
    store.live?.open();
    await vi.waitUntil(() => store.live?.isHeard(sessionId), WAIT);

    await say(session, 'Go.');
    await reading;

    expect(seen.filter(isRecord)).toEqual(await toldRecords(store, sessionId));
    expect(judgePieces(seen)).toEqual({ faults: [], whole: 3, begun: 0, lost: 0 });
    expect(seen.map(lineOf).filter((line) => /content|thinking|input|started$/.test(line))).toEqual([
      'run_started',
      'session_started',
      'thinking Hm',
      'thinking m.',
      'content I ',
      'content ask.',
      'tool_input_start c',
      'tool_input_delta c {"subagent_type":"inner","description":"Look.","prompt":"Look."}',
      'c/content I look',
      'c/content  around.',
      'content All ',
      'content is ',
      'content said.',
    ]);
    await end(session, store, elsewhere);
  });

  it('that is not there costs no notification but one: a process asks once who listens', async () => {
    const { store, elsewhere, notified } = twoStores();
    const session = await createSession({ provider: ungated, model: 'm', store, agents, allowedTools: ['Task'] });
    const here = collect(watchSession({ store, sessionId: session.sessionId }), []);

    await say(session, 'Go.');
    await here;

    const said = notified.map((text) => text.split(' ').slice(1).join(' '));
    // Who follows a session in the process that runs it says so, as all who follow do.
    expect(new Set(said)).toEqual(new Set(['?', session.sessionId]));
    await end(session, store, elsewhere);
  });

  it('that has come is what notifications are sent for', async () => {
    const { store, elsewhere, notified } = twoStores();
    const session = await createSession({ provider: ungated, model: 'm', store, agents, allowedTools: ['Task'] });
    const { sessionId } = session;
    const reading = collect(watchSession({ store: elsewhere, sessionId }), []);
    store.live?.open();
    await vi.waitUntil(() => store.live?.isHeard(sessionId), WAIT);

    await say(session, 'Go.');
    await reading;

    expect(notified.filter((text) => text.includes('"content"')).length).toBeGreaterThan(0);
    await end(session, store, elsewhere);
  });
});

describe('live events of postgresStore', () => {
  const connectionString = 'postgres://127.0.0.1:9/none';
  const pool = { connect: () => Promise.reject(new Error('No.')) };

  it.each<[string, PostgresStoreOptions, boolean]>([
    ['go over the connection string', { connectionString }, true],
    [
      'do not go through what is no server, as without prepared statements',
      { connectionString, prepared: false },
      false,
    ],
    [
      'go past a pooler, where there is an address',
      { connectionString, prepared: false, liveConnectionString: connectionString },
      true,
    ],
    ['are left out where the host says so', { connectionString, liveConnectionString: false }, false],
    ['take no connection of a pool', { pool }, false],
    ['go beside a pool, where there is an address', { pool, liveConnectionString: connectionString }, true],
    [
      'need a client that listens',
      { client: { query: async () => ({ rows: [] }), transaction: () => Promise.reject(new Error('No.')) } },
      false,
    ],
  ])('%s', async (_what, options, isThere) => {
    const store = postgresStore(options);

    expect(store.live !== undefined).toBe(isThere);
    await store[Symbol.asyncDispose]();
  });

  it.each([
    [{ liveConnectionString: '' }, 'liveConnectionString must be'],
    [{ liveConnectionString: true as never }, 'liveConnectionString must be'],
    [{ client: {} as never, connectionString: undefined as never, liveConnectionString: 'x' }, 'client must be'],
  ])('are not asked for as %j', (options, message) => {
    expect(() => postgresStore({ connectionString, ...options })).toThrow(message);
  });

  it('have an address only where there is none of a client', () => {
    expect(() => postgresStore({ client, liveConnectionString: connectionString })).toThrow('goes without client');
  });
});
