import { existsSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSession,
  deleteSession,
  listSessions,
  localEngine,
  resumeSession,
  type SessionStore,
  serveSessions,
  sqliteStore,
} from '../../src/index.ts';
import { codeOf, resultOf, say, scriptedProvider } from '../support/makers.ts';
import { created, item, owned, titlesOf } from '../support/store-values.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'directory-store-'));
});
afterAll(() => rm(folder, { recursive: true }));
const fresh = () => join(folder, crypto.randomUUID());
const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
const base = { provider, model: 'm' };

/** The order in which a message to `s1`, whose file another process holds, and one to `s2` are recorded. */
async function orderUnder(store: SessionStore, fileOfS1: string): Promise<string[]> {
  await store.create('s1', created());
  await store.create('s2', created());
  using frozen = new DatabaseSync(fileOfS1);
  frozen.exec('begin immediate');
  const order: string[] = [];
  const told = ['s1', 's2'].map((id) => store.enqueue(id, item('x')).then(() => order.push(id)));
  await Promise.race([...told, new Promise((resolve) => setTimeout(resolve, 50))]);
  order.push('the other goes on');
  frozen.exec('commit');
  await Promise.all(told);
  return order;
}

describe('sqliteStore({ directory })', () => {
  it('has a file for each session, for this user alone', async () => {
    const directory = fresh();
    await using store = sqliteStore({ directory });

    await store.create('one', created());
    await store.create('One', created());
    await store[Symbol.asyncDispose]();

    const names = readdirSync(directory);
    expect(names).toEqual(expect.arrayContaining(['one.db', expect.stringMatching(/^one\.[0-9a-f]{16}\.db$/)]));
    expect(names).toHaveLength(2);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });

  it('is not held up by a process that stands still in a commit to another session; one file is (control)', async () => {
    const directory = fresh();
    const path = `${fresh()}.db`;
    await using store = sqliteStore({ directory });
    await using one = sqliteStore({ path });

    expect(await orderUnder(store, join(directory, 's1.db'))).toEqual(['s2', 'the other goes on', 's1']);
    expect((await orderUnder(one, path))[0]).toBe('the other goes on');
  });

  it('makes, lists, forks and reads while one file is held', async () => {
    const directory = fresh();
    await using store = sqliteStore({ directory });
    await store.create('s1', created());
    await store.create('s2', created());
    using frozen = new DatabaseSync(join(directory, 's1.db'));
    frozen.exec('begin immediate');

    await store.fork('s2', 1, 's3');
    await store.create('s4', created());
    const { sessions } = await store.list();

    expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(['s1', 's2', 's3', 's4']);
    expect(await titlesOf(store, 's1')).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('keeps few files open (Linux; elsewhere there is no /proc)', async () => {
    const directory = fresh();
    await using store = sqliteStore({ directory });
    const ids = Array.from({ length: 80 }, (_, index) => `s${index}`);
    const before = readdirSync('/proc/self/fd').length;
    for (const id of ids) await owned(store, id);
    await Promise.all(ids.map((id) => store.enqueue(id, item('x'))));

    expect(readdirSync('/proc/self/fd').length - before).toBeLessThanOrEqual(4 * 32);
    for (const id of ids) expect(await store.inbox(id)).toHaveLength(1);
  });

  it('leaves no file of a removed session, and takes the id again', async () => {
    const directory = fresh();
    await using store = sqliteStore({ directory });
    await using other = sqliteStore({ directory });
    const before = await owned(store);
    await other.inbox('s1');

    await store.remove('s1');
    const left = readdirSync(directory);
    await store.create('s1', created());
    await store.acquire('s1', 'me', 10_000);

    expect(left).toEqual([]);
    expect(await other.inbox('s1')).toEqual([]);
    expect(await codeOf(before.append(1, 'a'))).toBe('SESSION_FENCED'); // of another session
    expect(await titlesOf(other, 's1')).toEqual([]);
  });

  it('reads the file that has the name', async () => {
    const [here, there] = [fresh(), fresh()];
    await using store = sqliteStore({ directory: here });
    await owned(store);
    await using elsewhere = sqliteStore({ directory: there });
    await (await owned(elsewhere)).append(1, 'from elsewhere');
    await elsewhere[Symbol.asyncDispose]();

    renameSync(join(there, 's1.db'), join(here, 's1.db'));

    expect(await titlesOf(store, 's1')).toEqual(['from elsewhere']);
  });

  it('takes a file without its session for none, as a killed process leaves it', async () => {
    const directory = fresh();
    await using store = sqliteStore({ directory });
    for (const id of ['s1', 's2', 's3']) await store.create(id, created());
    for (const id of ['s2', 's3']) {
      using database = new DatabaseSync(join(directory, `${id}.db`));
      database.exec('delete from sessions; delete from entries');
    }

    expect((await store.list()).sessions).toHaveLength(1);
    expect(await codeOf(store.inbox('s2'))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(store.fork('s1', 1, 's2'))).toBe('resolved');
    expect(await codeOf(store.create('s3', created()))).toBe('resolved');
    expect((await store.list()).sessions).toHaveLength(3);
  });

  it('removes the copies that killed forks have left, not those under way', async () => {
    const directory = fresh();
    await using store = sqliteStore({ directory });
    await store.create('s1', created());
    const [old, young] = [join(directory, '.old.copy'), join(directory, '.young.copy')];
    for (const path of [old, young]) writeFileSync(path, 'what was said');
    utimesSync(old, 0, 0);

    await store.fork('s1', 1, 's2');

    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
    expect((await store.list()).sessions).toHaveLength(2);
  });

  it('serves, forks, lists and deletes sessions as any store', async () => {
    await using store = sqliteStore({ directory: fresh() });
    await using engine = localEngine();
    const session = await createSession({ ...base, store });
    await session.send('Begin.');
    const answered = Promise.withResolvers<void>();
    const onEvent = ({ type }: { readonly type: string }) => (type === 'result' ? answered.resolve() : undefined);
    await using _serving = await serveSessions({ engine, store, options: () => base, onEvent });
    await answered.promise;
    const fork = await session.fork();
    await _serving[Symbol.asyncDispose]();

    expect(resultOf(await say(fork, 'Go on.')).subtype).toBe('success');
    await session.close();
    await fork.close();
    await deleteSession(session.sessionId, { store });
    const { sessions } = await listSessions({ store });
    expect(sessions).toMatchObject([{ sessionId: fork.sessionId, forkedFrom: session.sessionId }]);
    expect((await resumeSession({ ...base, store, sessionId: fork.sessionId })).messages).toHaveLength(4);
  });

  it('takes a directory or a path, not both', () => {
    const both = { directory: folder, path: join(folder, 'x.db') };

    // @ts-expect-error they exclude each other
    expect(() => sqliteStore(both)).toThrow(/exclude each other/);
    expect(() => sqliteStore({ directory: '' })).toThrow(/path of a directory/);
  });
});
