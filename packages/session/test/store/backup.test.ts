import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { backupStore, compactStore, memoryStore, sqliteStore } from '../../src/index.ts';
import { created, item, owned, title, titlesOf } from '../support/store-values.ts';

const folders: string[] = [];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "it's a backup-"));
  folders.push(folder);
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true });
});
const path = () => join(folder, 'sessions.db');
const to = () => join(folder, 'copy.db');

describe('backupStore()', () => {
  it('copies all that was acknowledged before, while others write on, and nothing torn', async () => {
    await using store = sqliteStore({ path: path() });
    await using other = sqliteStore({ path: path() });
    const { epoch } = await owned(store);
    let going = true;
    let head = 1;
    const writing = (async () => {
      while (going) head = await other.append('s1', { epoch, head }, [title(`${head}`), title(`${head}`)]);
    })();
    await expect.poll(() => head).toBeGreaterThan(20);

    const acknowledged = head;
    await backupStore({ store, to: to() });
    going = false;
    await writing;

    await using copy = sqliteStore({ path: to() });
    const titles = await titlesOf(copy, 's1');
    expect(titles.length + 1).toBeGreaterThanOrEqual(acknowledged);
    expect(titles.length % 2).toBe(0);
    expect(titles).toEqual((await titlesOf(store, 's1')).slice(0, titles.length));
  });

  it('makes a copy that is private, whole, and of which every session can be run at once', async () => {
    await using store = sqliteStore({ path: path() });
    await owned(store, 's1', 600_000);
    await store.enqueue('s1', item('waits'));
    await store.putBlob('s1', 'abc', new Uint8Array([1]));

    await backupStore({ store, to: to() });

    await using copy = sqliteStore({ path: to() });
    expect(statSync(to()).mode & 0o777).toBe(0o600);
    expect(await copy.acquire('s1', 'another', 1000)).toMatchObject({ epoch: 2 });
    expect(await store.acquire('s1', 'another', 1000)).toBeUndefined();
    expect(await copy.inbox('s1')).toHaveLength(1);
    expect((await copy.getBlob('s1', 'abc'))?.[0]).toBe(1);
  });

  it('replaces a file only when it is asked to, and never a store that is open', async () => {
    await using store = sqliteStore({ path: path() });
    await store.create('s1', created());
    writeFileSync(to(), 'precious');

    await expect(backupStore({ store, to: to() })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'to' });
    await expect(backupStore({ store, to: path(), overwrite: true })).rejects.toMatchObject({ field: 'to' });
    await expect(backupStore({ store, to: to(), overwrite: 'yes' as never })).rejects.toMatchObject({
      field: 'overwrite',
    });
    expect(readFileSync(to(), 'utf8')).toBe('precious');
    await backupStore({ store, to: to(), overwrite: true });

    await using copy = sqliteStore({ path: to() });
    expect((await copy.list()).sessions).toHaveLength(1);
  });

  it.each([
    ['whose signal is aborted', () => ({ to: to(), signal: AbortSignal.abort() }), 'ABORTED'],
    ['into a directory that is missing', () => ({ to: join(folder, 'missing', 'copy.db') }), 'STORE_FAILED'],
  ])('leaves nothing behind %s', async (_what, options, code) => {
    await using store = sqliteStore({ path: path() });
    await store.create('s1', created());

    await expect(backupStore({ store, ...options() })).rejects.toMatchObject({ code });

    expect(existsSync(to())).toBe(false);
    await expect.poll(() => readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is refused, as compactStore is, for a store without a file', async () => {
    await using store = memoryStore();

    await expect(backupStore({ store, to: to() })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'store' });
    await expect(compactStore({ store })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'store' });
  });
});
