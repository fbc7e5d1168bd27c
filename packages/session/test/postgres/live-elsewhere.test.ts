import { PGlite } from '@electric-sql/pglite';
import type { ModelStream } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type CustomProvider,
  createSession,
  type ISession,
  type SessionEvent,
  type SessionStore,
  watchSession,
} from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';
import { isRecord, lineOf, toldRecords, untilResult } from '../support/followed.ts';
import { echoTool, say } from '../support/makers.ts';

const WAIT = { timeout: 45_000 };
let client: PGlite;
let stores = 0;
beforeAll(async () => {
  client = await PGlite.create();
}, 240_000);
afterAll(() => client.close());

/** Stores on the same tables, as processes have them. */
function twoStores(): [SessionStore, SessionStore] {
  const schema = `s${(stores += 1)}`;
  return [postgresStore({ client, schema }), postgresStore({ client, schema })];
}

/** A model that goes on with its reply when the reader has seen a piece of it. */
function gated(seen: readonly SessionEvent[]): CustomProvider {
  const model = scriptedModel(({ messages }) => {
    const isFirst = messages.every(({ role }) => role !== 'tool');
    return isFirst
      ? { text: ['I ', 'ask.'], toolCalls: [{ id: 'c', name: 'echo', input: { text: 'x' } }] }
      : { text: ['All ', 'is ', 'said.'] };
  });
  async function* stream(request: Parameters<typeof model.stream>[0]): ModelStream {
    const events = model.stream(request);
    let pieces = seen.filter(({ event }) => event.type === 'content').length;
    for (;;) {
      const step = await events.next();
      if (step.done) return step.value;
      yield step.value;
      if (step.value.type !== 'content') continue;
      pieces += 1;
      await vi.waitUntil(() => seen.filter(({ event }) => event.type === 'content').length === pieces, WAIT);
    }
  }
  return { type: 'custom', createModel: () => ({ ...model, stream }) };
}

async function collect(events: AsyncGenerator<SessionEvent, void, void>, seen: SessionEvent[]): Promise<void> {
  for await (const event of events) {
    seen.push(event);
    if (event.event.type === 'result') break;
  }
}

describe('a reader with another store on the same tables', () => {
  it('is told the pieces of a reply as they come, before its record', async () => {
    const [store, elsewhere] = twoStores();
    const seen: SessionEvent[] = [];
    const session = await createSession({ provider: gated(seen), model: 'm', store, tools: [echoTool()] });
    const { sessionId } = session;
    const reading = collect(watchSession({ store: elsewhere, sessionId }), seen);
    store.live?.open();
    await vi.waitUntil(() => store.live?.isHeard(sessionId), WAIT);

    await say(session, 'Go.');
    await reading;

    console.log(seen.map(lineOf));
    expect(seen.filter(isRecord)).toEqual(await toldRecords(store, sessionId));
    await end(session, store, elsewhere);
  });
});

async function end(session: ISession, ...all: SessionStore[]): Promise<void> {
  await session.close();
  for (const store of all) await store[Symbol.asyncDispose]();
}
