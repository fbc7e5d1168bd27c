import { chmod, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fc, test } from '@fast-check/vitest';
import { isAgentError } from '@x/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, resumeSession, type SessionStore, sqliteStore } from '../../src/index.ts';
import { codeOf, echoTool, read, resultOf, say, scriptedProvider } from '../support/makers.ts';
import { created, item, owned, title } from '../support/store-values.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
});
afterAll(() => rm(folder, { recursive: true }));

const fresh = () => join(folder, `${crypto.randomUUID()}.db`);
const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
const resume = (store: SessionStore, sessionId: string) => resumeSession({ provider, model: 'm', store, sessionId });

/** A file with two sessions that have each had a run, closed. */
async function fileWithSessions() {
  const path = fresh();
  await using store = sqliteStore({ path });
  const sessions = await Promise.all(
    [1, 2].map(() => createSession({ provider, model: 'm', store, tools: [echoTool()] })),
  );
  for (const session of sessions) await say(session, 'Begin.');
  return { path, ids: sessions.map(({ sessionId }) => sessionId) as [string, string] };
}

/** `named` for a typed error whose message has one of the names in it. */
function namedIn(error: unknown, names: readonly string[]): unknown {
  return isAgentError(error) && names.some((name) => error.message.includes(name)) ? 'named' : error;
}

function change(path: string, sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(path);
  database.prepare(sql).run(...values);
  database.close();
}

describe('the sqlite file', () => {
  it('is for this user alone, its directory and its neighbours too (ZD17)', async () => {
    const path = join(folder, 'new', 'deep', 'sessions.db');
    await using store = sqliteStore({ path });

    await store.create('s1', created());

    expect((await stat(join(folder, 'new', 'deep'))).mode & 0o777).toBe(0o700);
    for (const end of ['', '-wal', '-shm']) expect((await stat(`${path}${end}`)).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform !== 'linux')(
    'in a place that cannot be there is a typed error, at once (Linux)',
    async () => {
      await using store = sqliteStore({ path: '/proc/none/of/these/sessions.db' });

      await expect(store.list()).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringContaining('/proc'),
      });
    },
  );

  it('takes away the rights of others from a file that had them', async () => {
    const path = fresh();
    await writeFile(path, '');
    await chmod(path, 0o644);
    await using store = sqliteStore({ path });

    await store.create('s1', created());

    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is in WAL mode and knows its version (ZD17)', async () => {
    const { path } = await fileWithSessions();
    const database = new DatabaseSync(path);

    expect(database.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('pragma user_version').get()).toMatchObject({ user_version: 4 });
    database.close();
  });

  it('is opened on first use only', async () => {
    const path = fresh();

    await sqliteStore({ path })[Symbol.asyncDispose]();

    expect(await codeOf(stat(path))).toBe('ENOENT');
  });

  it('is refused when a newer version wrote it, and left as it is (Q46)', async () => {
    const { path } = await fileWithSessions();
    change(path, 'pragma user_version = 99');
    await using store = sqliteStore({ path });

    await expect(store.list()).rejects.toMatchObject({
      code: 'LOG_TOO_NEW',
      message: expect.stringContaining('newer version (99'),
    });

    change(path, 'pragma user_version = 4');
    expect((await store.list()).sessions).toHaveLength(2); // and is read once the reason is gone
  });

  it.each([
    [
      'no database',
      (path: string) =>
        writeFile(path, 'This is a text, and a longer one than the header of a database would be.'.repeat(20)),
    ],
    ['a directory', (path: string) => mkdir(path)],
  ])('that is %s gives a typed error (ZD24)', async (_what, make) => {
    const path = fresh();
    await make(path);
    await using store = sqliteStore({ path });

    await expect(store.create('s1', created())).rejects.toSatisfy(isAgentError);
    await expect(store.create('s1', created())).rejects.toThrow(path);
  });

  it('below a file gives a typed error (ZD21)', async () => {
    const path = fresh();
    await writeFile(path, '');
    await using store = sqliteStore({ path: join(path, 'sessions.db') });

    await expect(store.list()).rejects.toSatisfy(isAgentError);
  });

  it('that was cut short gives typed errors, never a crash (ZD24)', async () => {
    const { path, ids } = await fileWithSessions();
    await truncate(path, 6000);
    await using store = sqliteStore({ path });

    for (const id of ids) await expect(resume(store, id)).rejects.toSatisfy(isAgentError);
  });

  it('of which any one page is damaged gives answers or typed errors that name it, never a crash', async () => {
    const { path, ids } = await fileWithSessions();
    const whole = await readFile(path);
    const outcomes: unknown[] = [];
    for (let page = 0; page < whole.length / 4096; page++) {
      const damaged = fresh();
      await writeFile(damaged, Uint8Array.from(whole).fill(0xa5, page * 4096 + 20, (page + 1) * 4096));
      await using store = sqliteStore({ path: damaged });
      const reads = ids.map((id) => () => Array.fromAsync(store.read(id)));
      for (const ask of [
        ...reads,
        () => store.list(),
        () => store.inbox(ids[0]),
        () => store.create('s1', created()),
      ]) {
        outcomes.push(
          await ask().then(
            () => 'answered',
            (error: unknown) => namedIn(error, [damaged, ...ids]),
          ),
        );
      }
    }

    expect(new Set(outcomes)).toEqual(new Set(['answered', 'named']));
  });

  it('says so after the store was closed', async () => {
    const store = sqliteStore({ path: fresh() });
    await store.create('s1', created());

    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();

    expect(await codeOf(store.list())).toBe('SESSION_CLOSED');
    expect(await codeOf(store.enqueue('s1', item('x')))).toBe('SESSION_CLOSED');
  });
});

/** Where the entries of a session begin; the sequence is added. */
const ENTRIES = '(select number from sessions where id = ?) * 4294967296';

describe('a damaged session', () => {
  it.each([
    ['no JSON', `update entries set body = ? where key = ${ENTRIES} + 3`, '{"type":'],
    [
      'an entry of another format',
      `update entries set body = ? where key = ${ENTRIES} + 1`,
      '{"type":"session_created","format":2,"cwd":"/"}',
    ],
    ['null', `update entries set body = ? where key = ${ENTRIES} + 3`, 'null'],
    [
      'a record without its record',
      `update entries set body = ? where key = ${ENTRIES} + 3`,
      '{"type":"record","scope":[]}',
    ],
    ['a missing entry', `delete from entries where ? = '' and key = ${ENTRIES} + 3`, ''],
    ['no entries at all', `delete from entries where ? = '' and key - ${ENTRIES} between 0 and 4294967295`, ''],
  ])('(%s) gives a typed error naming it; other sessions load (ZD24)', async (_what, sql, body) => {
    const { path, ids } = await fileWithSessions();
    change(path, sql, body, ids[0]);
    await using store = sqliteStore({ path });

    const outcome = resume(store, ids[0]);

    await expect(outcome).rejects.toMatchObject({ code: 'LOG_DAMAGED', message: expect.stringContaining(ids[0]) });
    expect((await resume(store, ids[1])).messages).toHaveLength(2);
  });

  test.prop([fc.json({ maxDepth: 3 }), fc.integer({ min: 1, max: 5 })], { numRuns: 50 })(
    'never gives anything but a session or a typed error, whatever an entry holds (ZD24, ZH06)',
    async (json, seq) => {
      const { path, ids } = await fileWithSessions();
      change(path, `update entries set body = ? where key = ${ENTRIES} + ?`, json, ids[0], seq);
      await using store = sqliteStore({ path });

      const outcome = await resume(store, ids[0]).then(() => 'loaded', isAgentError);

      expect(['loaded', true]).toContain(outcome);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('of which a message in the inbox is damaged gives a typed error at stream()', async () => {
    const { path, ids } = await fileWithSessions();
    await using store = sqliteStore({ path });
    await store.enqueue(ids[0], item('x'));
    change(path, 'update inbox set body = ?', '{');

    const session = await resume(store, ids[0]);

    await expect(read(session)).rejects.toSatisfy(isAgentError);
  });
});

describe('two stores on one file', () => {
  it('see what the other has written, and refuse what is stale (Q48, ZD18)', async () => {
    const path = fresh();
    await using one = sqliteStore({ path });
    await using other = sqliteStore({ path });
    const { sessionId, epoch, append } = await owned(one);

    await append(1, 'a');

    expect(await Array.fromAsync(other.read(sessionId))).toHaveLength(2);
    expect(await codeOf(other.append(sessionId, { epoch, head: 1 }, [title('b')]))).toBe('SESSION_CONFLICT');
    expect(await other.append(sessionId, { epoch, head: 2 }, [title('b')])).toBe(3);
    expect(await codeOf(append(2, 'c'))).toBe('SESSION_CONFLICT');
  });

  it('give one session to one of them, and its messages to whoever holds it', async () => {
    const path = fresh();
    await using one = sqliteStore({ path });
    await using other = sqliteStore({ path });
    const session = await createSession({ provider, model: 'm', store: one });
    const elsewhere = await resume(other, session.sessionId);
    await session.send('one');
    const stream = session.stream();
    for (let step = 0; step < 2; step++) await stream.next();

    await expect(read(elsewhere)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await elsewhere.send('from the other');
    const events = await Array.fromAsync(stream);

    expect(resultOf(events).subtype).toBe('success');
    expect(events.filter(({ type }) => type === 'user_message')).toMatchObject([{ content: 'from the other' }]);
    expect(resultOf(await say(elsewhere, 'and again')).subtype).toBe('success');
    expect(elsewhere.messages.filter(({ role }) => role === 'user')).toHaveLength(3);
  });

  it('append from both at once without gap or loss: who is stale reads again (ZD18)', async () => {
    const path = fresh();
    await using one = sqliteStore({ path });
    await using other = sqliteStore({ path });
    const { sessionId, epoch } = await owned(one);
    const write = async (store: SessionStore, text: string) => {
      for (;;) {
        const head = (await Array.fromAsync(store.read(sessionId))).length;
        if ((await codeOf(store.append(sessionId, { epoch, head }, [title(text)]))) === 'resolved') return;
      }
    };

    await Promise.all(Array.from({ length: 20 }, (_, index) => write(index % 2 === 0 ? one : other, `${index}`)));

    const entries = await Array.fromAsync(one.read(sessionId));
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
    expect(new Set(entries.slice(1).map(({ body }) => (body.type === 'title' ? body.title : ''))).size).toBe(20);
  });
});
