import { createHook } from 'node:async_hooks';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunRecord } from '@x/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { memoryStore, type SessionStore, sqliteStore, watchSession } from '../../src/index.ts';
import { codeOf } from '../support/makers.ts';

const RECORDS = 1_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const path = () => join(folder, `${crypto.randomUUID()}.db`);
const started = (index: number) =>
  ({
    type: 'record',
    scope: [],
    record: { type: 'tool_started', callId: `c${index}`, name: 'echo', input: {} } as unknown as RunRecord, // safe: all of it that is told
  }) as const;

/** A session with so many records behind its first entry. */
async function recorded(store: SessionStore, records = RECORDS) {
  await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
  const { epoch } = (await store.acquire('s1', 'me', 60_000))!;
  await store.append(
    's1',
    { epoch, head: 1 },
    Array.from({ length: records }, (_, index) => started(index)),
  );
  return store;
}

/** Calls of the next so many records, read as far as they come. */
async function calls(events: ReturnType<typeof watchSession>, count: number) {
  const seen: (string | undefined)[] = [];
  while (seen.length < count) seen.push((await events.next()).value?.callId);
  return seen;
}

/** Promises that following costs, for each record. */
async function promisesPerRecord(store: SessionStore): Promise<number> {
  vi.spyOn(performance, 'now').mockReturnValue(0); // no share of the event loop is ever over
  const events = watchSession({ store, sessionId: 's1' });
  let promises = 0;
  const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && promises++) }).enable();
  try {
    await calls(events, RECORDS);
  } finally {
    hook.disable();
    await events.return();
  }
  return promises / RECORDS;
}

/** A store of somebody else, that knows nothing of pages. */
function oneByOne(store: SessionStore): SessionStore {
  async function* read(...given: Parameters<SessionStore['read']>) {
    for await (const entry of store.read(...given)) yield entry;
  }
  return { ...store, read };
}

describe.each<[string, () => SessionStore]>([
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore({ path: path() })],
  ['SQLite, a file for each session', () => sqliteStore({ directory: join(folder, crypto.randomUUID()) })],
])('a log in the %s store', (_name, make) => {
  it('costs its reader no promise for each entry that is read: only those of its own steps', async () => {
    await using store = await recorded(make());

    const inPages = await promisesPerRecord(store);
    const single = await promisesPerRecord(oneByOne(store));

    expect(inPages).toBeLessThan(6);
    expect(single).toBeGreaterThan(2 * inPages);
  });

  it('is told whole from each place within a page', async () => {
    await using store = await recorded(make(), 40);
    const { value: first } = await watchSession({ store, sessionId: 's1' }).next();
    const [, log] = first!.cursor.split('.');

    for (let from = 1; from < 41; from++) {
      const events = watchSession({ store, sessionId: 's1', from: `${from}.${log}` });
      const left = 41 - from;
      const expected = Array.from({ length: left }, (_, index) => `c${from - 1 + index}`);
      expect(await calls(events, left)).toEqual(expected);
      await events.return();
    }
  });
});

describe('a log with a damaged entry', () => {
  it('is told up to that entry, wherever in a page it is', async () => {
    const file = path();
    await using store = await recorded(sqliteStore({ path: file }), 40);
    const database = new DatabaseSync(file);
    database.exec(`update entries set body = replace(body, 'c29', 'c99')`);
    database.close();

    const events = watchSession({ store, sessionId: 's1' });

    expect(await calls(events, 29)).toEqual(Array.from({ length: 29 }, (_, index) => `c${index}`));
    expect(await codeOf(events.next())).toBe('LOG_DAMAGED');
  });
});
