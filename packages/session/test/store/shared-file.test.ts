import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SessionStore, sqliteStore } from '../../src/index.ts';
import { codeOf } from '../support/makers.ts';
import { created, item, owned } from '../support/store-values.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared-file-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});
const fresh = () => join(folder, `${crypto.randomUUID()}.db`);

describe('the stores of one file in one process', () => {
  it('share a connection, which is closed with the last of them', async () => {
    const path = fresh();
    const stores = Array.from({ length: 5 }, () => sqliteStore({ path }));
    await Promise.all(stores.map((store, index) => store.create(`s${index}`, created())));
    const files = filesOpenOf(path);

    for (const store of stores.slice(1)) await store[Symbol.asyncDispose]();
    const last = await codeOf(stores[0]!.enqueue('s4', item('still open')));
    await stores[0]![Symbol.asyncDispose]();

    expect(files).toBeLessThanOrEqual(4); // one connection, and one look at its log
    expect(last).toBe('resolved');
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('are closed one by one: a closed one is closed, the others are not', async () => {
    const path = fresh();
    await using one = sqliteStore({ path });
    const other = sqliteStore({ path });
    await one.create('s1', created());
    await other.list();

    await other[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();

    expect(await codeOf(other.list())).toBe('SESSION_CLOSED');
    expect(await codeOf(one.enqueue('s1', item('on')))).toBe('resolved');
  });

  it('all go on after their file was replaced', async () => {
    const path = fresh();
    await using one = sqliteStore({ path });
    await using other = sqliteStore({ path });
    await one.create('s1', created());
    await other.list();
    for (const end of ['', '-wal', '-shm']) rmSync(path + end);

    const first = await Promise.all([codeOf(one.create('s2', created())), codeOf(other.create('s3', created()))]);
    const second = await Promise.all([codeOf(one.create('s2', created())), codeOf(other.create('s3', created()))]);

    expect(first).toEqual(['STORE_FAILED', 'STORE_FAILED']);
    expect(second).toEqual(['resolved', 'resolved']);
    expect((await one.list()).sessions).toHaveLength(2);
  });

  it.skipIf(process.platform === 'win32')('are as many as you like with few files left (not on Windows)', async () => {
    const program = join(import.meta.dirname, '../programs', 'many-sessions.ts');
    const node = [process.execPath, '--conditions=@x/source', '--no-warnings', program, '400'];
    const child = spawn('/bin/sh', ['-c', 'ulimit -n 150 && exec "$@"', 'sh', ...node], {
      env: { PATH: process.env['PATH'], AGENT_SDK_HOME: join(folder, 'home') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });

    expect((await child.stdout.toArray()).join('')).toBe('400 answered\n');
  });
});

/** File descriptors of this process on the file and its neighbours; Linux only. */
function filesOpenOf(path: string): number {
  if (process.platform !== 'linux') return 0;
  return readdirSync('/proc/self/fd').filter((fd) => fileOf(fd).startsWith(path)).length;
}

/** The path that a descriptor is open on; empty for one that was closed meanwhile. */
function fileOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

describe('the path of a store', () => {
  it('counts from the working directory of its making', async () => {
    mkdirSync(join(folder, 'a'));
    mkdirSync(join(folder, 'b'));
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(join(folder, 'a'));
    await using store = sqliteStore({ path: 'sessions.db' });
    cwd.mockReturnValue(join(folder, 'b'));

    await store.create('s1', created());

    expect(statSync(join(folder, 'a', 'sessions.db')).size).toBeGreaterThan(0);
  });

  it.each([':memory:', 'file:sessions.db', 'file::memory:?cache=shared', ''])(
    'is not %j: that says memoryStore()',
    (path) => {
      expect(() => sqliteStore({ path })).toThrow(/memoryStore\(\)/);
    },
  );
});

describe('a file that is not one of ours', () => {
  const FOREIGN: readonly (readonly [string, string])[] = [
    ['tables of the same names', 'create table sessions(x); create table entries(y); pragma user_version = 2'],
    ['another application id', 'create table t(x); pragma application_id = 1'],
    ['an application id only', 'pragma application_id = 1'],
    ['a newer version and tables of its own', 'create table t(x); pragma user_version = 99'],
  ];

  it.each(FOREIGN)('(%s) is refused by name, and left as it is', async (_what, sql) => {
    const path = fresh();
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const before = readFileSync(path);
    const { mode } = statSync(path);
    await using store = sqliteStore({ path });

    for (const use of [store.list(), store.create('s1', created())]) {
      await expect(use).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(/is a database of another program, and is left as it is; name another file/),
      });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mode).toBe(mode);
  });

  it('(no database at all) is left as it is', async () => {
    const path = fresh();
    writeFileSync(path, 'This is no database. '.repeat(1000), { mode: 0o644 });
    await using store = sqliteStore({ path });

    await expect(store.create('s1', created())).rejects.toThrow(/not one of this store; name another/);

    expect(readFileSync(path, 'utf8')).toBe('This is no database. '.repeat(1000));
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});

describe('a file of ours', () => {
  it('says so in its header', async () => {
    const path = fresh();
    await using store = sqliteStore({ path });
    await store.create('s1', created());
    using database = new DatabaseSync(path);

    expect(database.prepare('pragma application_id').get()).toEqual({ application_id: 0x61677453 });
  });

  it('is taken without that by its tables', async () => {
    const path = fresh();
    await filled(path);
    const database = new DatabaseSync(path);
    database.exec('pragma application_id = 0');
    database.close();
    await using store = sqliteStore({ path });

    expect((await store.list()).sessions).toHaveLength(1);
  });

  it('of which a read fails does not speak of recording', async () => {
    const path = fresh();
    await filled(path);
    writeFileSync(path, 'This is no database. '.repeat(1000));
    await using store = sqliteStore({ path });

    const error = await store.list().catch((thrown: Error) => thrown.message);

    expect(error).toContain('could not open');
    expect(error).not.toContain('recorded');
  });
});

async function filled(path: string): Promise<void> {
  await using store: SessionStore = sqliteStore({ path });
  await store.create('s1', created());
}

describe('the log of a file', () => {
  it('keeps 16 MiB at most of what a long reader has made it take', async () => {
    const path = fresh();
    await using store = sqliteStore({ path });
    const { append } = await owned(store);
    using reader = new DatabaseSync(path);
    reader.exec('begin; select * from sessions');
    for (let head = 1; head <= 40; head++) await append(head, 'x'.repeat(900_000));
    const grown = statSync(`${path}-wal`).size;

    reader.exec('commit');
    for (let head = 41; head <= 45; head++) await append(head, 'the reader is gone');

    expect(grown).toBeGreaterThan(30 * 1024 * 1024);
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(16 * 1024 * 1024);
  });
});
