import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { created, owned, rowsIn } from '../../test/support/store-values.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
let path = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared-blobs-'));
});
beforeEach(() => {
  path = join(folder, `${crypto.randomUUID()}.db`);
});
afterAll(() => rm(folder, { recursive: true }));

function change(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe('blobs in SQLite', () => {
  it('are there once, however many sessions and forks use them, and go with the last one', async () => {
    await using store = sqliteStore({ path });
    await store.create('one', created());
    await store.create('other', created());
    for (const id of ['one', 'other']) await store.putBlob(id, 'abc', new Uint8Array([1]));
    await store.fork('one', 1, 'fork');

    const counts = [];
    for (const id of ['one', 'fork', 'other']) {
      counts.push(rowsIn(path, 'blobs'));
      await store.remove(id);
    }

    expect([...counts, rowsIn(path, 'blobs'), rowsIn(path, 'blob_uses')]).toEqual([1, 1, 1, 0, 0]);
  });
});

describe('a removed session', () => {
  it('is gone whole from a copy, and from the file once that is compacted, when its erasure was interrupted', async () => {
    await using store = sqliteStore({ path });
    await (await owned(store)).append(1, 'SECRET');
    await store.putBlob('s1', 'abc', new TextEncoder().encode('SECRET'));
    await store.create('other', created());
    change("delete from sessions where id = 's1'; delete from blob_uses where session_id = 's1'");
    const copy = `${path}.copy`;

    await store.upkeep!.backup(copy);
    await store.upkeep!.compact();

    for (const file of [path, copy]) {
      expect(readFileSync(file, 'latin1')).not.toContain('SECRET');
      expect([rowsIn(file, 'entries'), rowsIn(file, 'blobs')]).toEqual([1, 0]);
    }
  });
});

describe('an entry in SQLite', () => {
  const SECOND = 'where key & 4294967295 = 2';

  it.each([
    ['whose text was changed', `update entries set body = replace(body, 'right', 'wrong') ${SECOND}`],
    ['whose checksum was changed', `update entries set checksum = checksum + 1 ${SECOND}`],
    [
      'that took the place of another',
      `update entries set (body, checksum) = (select body, checksum from entries where key & 4294967295 = 3) ${SECOND}`,
    ],
  ])('%s is told with its session and its number, in a fork too', async (_what, sql) => {
    await using store = sqliteStore({ path });
    await (await owned(store)).append(1, 'right', 'another');
    change(sql);
    await store.fork('s1', 2, 'fork');

    for (const id of ['s1', 'fork'])
      await expect(Array.fromAsync(store.read(id))).rejects.toMatchObject({
        code: 'LOG_DAMAGED',
        message: `Entry 2 of session ${id} is damaged; restore it from a copy`,
      });
  });

  it('that was changed is not forked as the first one', async () => {
    await using store = sqliteStore({ path });
    await store.create('s1', created());
    change("update entries set body = replace(body, 'work', 'word')");

    await expect(store.fork('s1', 1, 'fork')).rejects.toMatchObject({ message: expect.stringContaining('Entry 1') });
  });
});
