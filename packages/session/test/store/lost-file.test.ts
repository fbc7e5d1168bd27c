import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { textOf } from '@x/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SessionStore, sqliteStore } from '../../src/index.ts';
import { codeOf } from '../support/makers.ts';
import { secondProcess } from '../support/second-process.ts';
import { created, item, owned, title } from '../support/store-values.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** In a directory of its own. */
function freshPath(): string {
  const path = join(folder, crypto.randomUUID(), 'sessions.db');
  mkdirSync(dirname(path));
  return path;
}

function backup(path: string): void {
  const database = new DatabaseSync(path);
  database.prepare('vacuum into ?').run(`${path}.bak`);
  database.close();
}

const HARMS: readonly (readonly [string, (path: string) => void])[] = [
  ['removed', (path) => rmSync(path)],
  ['removed with its log', (path) => ['', '-wal', '-shm'].forEach((end) => rmSync(path + end))],
  ['moved away with its directory', (path) => renameSync(dirname(path), `${dirname(path)}.old`)],
  ['replaced by a backup', (path) => renameSync(`${path}.bak`, path)],
  ['left without its log', (path) => rmSync(`${path}-wal`)],
];

/** The messages that wait for `s1` in the file that has the name, as somebody finds them who comes later. */
async function found(path: string): Promise<string[]> {
  await using store = sqliteStore({ path });
  const items = await store.inbox('s1').catch(() => []);
  return items.map(({ message }) => textOf(message));
}

function isWhole(path: string): boolean {
  using database = new DatabaseSync(path);
  return database.prepare('pragma integrity_check').get()?.['integrity_check'] === 'ok';
}

/** Makes the session where it is not there, and sends it the text. */
async function sendAgain(store: SessionStore, text: string): Promise<unknown> {
  const code = await codeOf(store.enqueue('s1', item(text)));
  if (code !== 'SESSION_NOT_FOUND') return code;
  await store.create('s1', created());
  return await codeOf(store.enqueue('s1', item(text)));
}

describe.each(HARMS)('a file that was %s while it was open', (_what, harm) => {
  it('refuses all that waits for the same commit, and is opened again by the next use', async () => {
    const path = freshPath();
    await using store = sqliteStore({ path });
    const lease = await owned(store);
    await store.enqueue('s1', item('before'));
    backup(path);
    harm(path);

    const codes = await Promise.all(
      [
        lease.append(1, 'lost'),
        store.enqueue('s1', item('lost')),
        store.saveSnapshot('s1', { seq: 1, format: 1, state: new Uint8Array(1) }),
        store.renew(lease, 10_000),
        store.release(lease),
      ].map(codeOf),
    );
    const again = await sendAgain(store, 'after');
    await store[Symbol.asyncDispose]();

    expect(new Set(codes)).toEqual(new Set(['STORE_FAILED']));
    expect(again).toBe('resolved');
    expect(await found(path)).toContain('after');
    expect(isWhole(path)).toBe(true);
  });

  it.each<[string, (store: SessionStore) => Promise<unknown>]>([
    ['acquire', (store) => store.acquire('s1', 'me', 10_000)],
    ['renew', (store) => store.renew({ sessionId: 's1', owner: 'me', head: 1, epoch: 1 }, 10_000)],
    ['enqueue', (store) => store.enqueue('s1', item('lost'))],
    ['append', (store) => store.append('s1', { epoch: 0, head: 1 }, [title('lost')])],
  ])('is noticed by %s alone, which says what to do', async (_method, write) => {
    const path = freshPath();
    await using store = sqliteStore({ path });
    await store.create('s1', created());
    backup(path);
    harm(path);

    await expect(write(store)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/removed or replaced while it was open; nothing more is recorded\. Put the file/),
    });
  });

  it('loses nothing that two processes were told afterwards, one of them killed', async () => {
    const path = freshPath();
    const store = sqliteStore({ path });
    const other = secondProcess(path);
    await store.create('s1', created());
    await store.enqueue('s1', item('before'));
    await other.send('before, too');
    backup(path);
    harm(path);

    const told: string[] = [];
    for (let round = 0; round < 4; round++) {
      if ((await other.send(`other ${round}`)) === 'recorded') told.push(`other ${round}`);
      if ((await sendAgain(store, `own ${round}`)) === 'resolved') told.push(`own ${round}`);
    }
    await other.kill();
    await store[Symbol.asyncDispose]();

    expect(told.length).toBeGreaterThan(3);
    expect(await found(path)).toEqual(expect.arrayContaining(told));
    expect(isWhole(path)).toBe(true);
  });
});

describe('a file that was replaced by a backup', () => {
  it('is that backup when the store is closed without having noticed', async () => {
    const path = freshPath();
    await using store = sqliteStore({ path });
    await store.create('s1', created());
    backup(path);
    await store.enqueue('s1', item('later than the backup'));
    renameSync(`${path}.bak`, path);

    await store[Symbol.asyncDispose]();

    expect(await found(path)).toEqual([]);
    expect(isWhole(path)).toBe(true);
  });
});

describe('a file that was left without its log', () => {
  it('keeps all that was recorded before', async () => {
    const path = freshPath();
    await using store = sqliteStore({ path });
    await store.create('s1', created());
    await store.enqueue('s1', item('before'));
    rmSync(`${path}-wal`);

    const refused = await codeOf(store.enqueue('s1', item('lost')));
    const again = await codeOf(store.enqueue('s1', item('after')));

    expect([refused, again]).toEqual(['STORE_FAILED', 'resolved']);
    expect(await found(path)).toEqual(['before', 'after']);
  });

  it('is not opened by one more process until the others have noticed', async () => {
    const path = freshPath();
    await using store = sqliteStore({ path });
    await store.create('s1', created());
    rmSync(`${path}-wal`);
    const other = secondProcess(path);

    const before = await other.send('too early');
    const noticed = await codeOf(store.enqueue('s1', item('lost')));
    await store[Symbol.asyncDispose]();
    const after = await other.send('in time');
    await other.close();

    expect([before, noticed, after]).toEqual(['STORE_FAILED', 'STORE_FAILED', 'recorded']);
    expect(await found(path)).toEqual(['in time']);
  });
});

describe('a connection that never looks at the name (control)', () => {
  it.each(HARMS.slice(0, 3))('goes on with a file that was %s, and loses what it has committed', (_what, harm) => {
    const path = freshPath();
    const database = new DatabaseSync(path);
    database.exec('pragma journal_mode = wal; create table t (text)');
    backup(path);
    harm(path);

    database.exec("insert into t values ('committed')");
    database.close();

    mkdirSync(dirname(path), { recursive: true });
    using later = new DatabaseSync(path);
    later.exec('create table if not exists t (text)');
    expect(later.prepare('select * from t').all()).toEqual([]);
  });
});

describe('a file that is where it was', () => {
  it('is not refused when its neighbours come and go as SQLite likes (control)', async () => {
    const path = freshPath();
    const other = secondProcess(path);
    for (let round = 0; round < 3; round++) {
      await using store = sqliteStore({ path });
      await sendAgain(store, `own ${round}`);
      expect(await other.send(`other ${round}`)).toBe('recorded');
    }
    await other.close();

    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await found(path)).toHaveLength(6);
  });
});
