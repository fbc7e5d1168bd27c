import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backupStore, compactStore, deleteSession, type SessionStore, sqliteStore } from '../../src/index.ts';
import { SessionFiles } from '../../src/store/session-files.ts';
import { created, item, owned, title, titlesOf } from '../support/store-values.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "it's a directory-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const place = () => join(folder, 'sessions');
const to = () => join(folder, 'copy');
const ids = async (store: SessionStore) => (await store.list()).sessions.map(({ sessionId }) => sessionId).toSorted();

describe('backupStore() of a directory', () => {
  it('copies every session as the store has it, also ids with capitals, and nobody runs one of the copy', async () => {
    await using store = sqliteStore({ directory: place() });
    await owned(store, 's1', 600_000);
    await store.enqueue('s1', item('waits'));
    await store.create('Upper', created());

    await backupStore({ store, to: to() });

    await using copy = sqliteStore({ directory: to() });
    expect(await ids(copy)).toEqual(['Upper', 's1']);
    expect(await copy.inbox('s1')).toHaveLength(1);
    expect(await copy.acquire('s1', 'another', 1000)).toMatchObject({ owner: 'another' });
    expect(await store.acquire('s1', 'another', 1000)).toBeUndefined();
    expect(statSync(to()).mode & 0o777).toBe(0o700);
  });

  it('has all that was acknowledged before, while others write on', async () => {
    await using store = sqliteStore({ directory: place() });
    const { epoch } = await owned(store);
    let going = true;
    let head = 1;
    const writing = (async () => {
      while (going) head = await store.append('s1', { epoch, head }, [title(`${head}`), title(`${head}`)]);
    })();
    await expect.poll(() => head).toBeGreaterThan(20);

    const acknowledged = head;
    await backupStore({ store, to: to() });
    going = false;
    await writing;

    await using copy = sqliteStore({ directory: to() });
    const titles = await titlesOf(copy, 's1');
    expect(titles.length + 1).toBeGreaterThanOrEqual(acknowledged);
    expect(titles).toEqual((await titlesOf(store, 's1')).slice(0, titles.length));
  });

  it('replaces a copy when it is asked to, whole', async () => {
    await using store = sqliteStore({ directory: place() });
    for (const id of ['first', 'second']) await store.create(id, created());
    await backupStore({ store, to: to() });
    await deleteSession('first', { store });

    await expect(backupStore({ store, to: to() })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'to' });
    await backupStore({ store, to: to(), overwrite: true });

    await using copy = sqliteStore({ directory: to() });
    expect(await ids(copy)).toEqual(['second']);
    expect(readdirSync(folder).toSorted()).toEqual(['copy', 'sessions']);
  });

  it.each([
    ['the store itself', () => place()],
    ['a store that is open', () => join(folder, 'open')],
    ['a directory with other files', () => join(folder, 'precious')],
    ['a file', () => join(folder, 'file.db')],
    ['databases of another program', () => join(folder, 'foreign')],
  ])('replaces nothing but a copy: not %s', async (_what, target) => {
    await using store = sqliteStore({ directory: place() });
    await store.create('s1', created());
    await using open = sqliteStore({ directory: join(folder, 'open') });
    await open.create('s2', created());
    for (const name of ['precious', 'foreign']) mkdirSync(join(folder, name));
    const foreign = new DatabaseSync(join(folder, 'foreign/app.db'));
    foreign.exec('create table precious (a)');
    foreign.close();
    for (const name of ['precious/a.db', 'precious/notes.txt', 'file.db'])
      writeFileSync(join(folder, name), 'precious');

    await expect(backupStore({ store, to: target(), overwrite: true })).rejects.toMatchObject({ field: 'to' });

    expect(readFileSync(join(folder, 'precious/notes.txt'), 'utf8')).toBe('precious');
    expect(existsSync(join(folder, 'foreign/app.db'))).toBe(true);
    expect(await ids(open)).toEqual(['s2']);
    expect(await ids(store)).toEqual(['s1']);
  });

  it.each([
    ['whose signal is aborted', () => ({ to: to(), signal: AbortSignal.abort() }), 'ABORTED'],
    ['into a directory that is missing', () => ({ to: join(folder, 'missing', 'copy') }), 'STORE_FAILED'],
  ])('leaves nothing behind %s', async (_what, options, code) => {
    await using store = sqliteStore({ directory: place() });
    await store.create('s1', created());

    await expect(backupStore({ store, ...options() })).rejects.toMatchObject({ code });

    expect(existsSync(to())).toBe(false);
    expect(readdirSync(folder)).toEqual(['sessions']);
  });

  it('rejects when a file cannot be read, rather than to leave a session out, and names it', async () => {
    await using store = sqliteStore({ directory: place() });
    await store.create('good', created());
    writeFileSync(join(place(), 'bad.db'), 'no database '.repeat(100), { mode: 0o600 });

    await expect(backupStore({ store, to: to() })).rejects.toThrow('bad.db');

    expect(readdirSync(folder)).toEqual(['sessions']);
  });

  it('is an empty directory for a store without sessions', async () => {
    await using store = sqliteStore({ directory: place() });

    await backupStore({ store, to: to() });

    expect(readdirSync(to())).toEqual([]);
    expect(await compactStore({ store })).toEqual({ bytesBefore: 0, bytesAfter: 0 });
  });
});

describe('compactStore() of a directory', () => {
  it('makes the files smaller, except those of sessions that are run', async () => {
    await using store = sqliteStore({ directory: place() });
    for (const id of ['rests', 'run']) {
      const lease = await owned(store, id, 600_000);
      await store.saveSnapshot(id, { seq: 1, format: 1, state: new Uint8Array(600_000) });
      await store.saveSnapshot(id, { seq: 1, format: 2, state: new Uint8Array(10) });
      if (id === 'rests') await store.release({ sessionId: id, epoch: lease.epoch, owner: lease.owner, head: 1 });
    }
    const sizeOf = (id: string) => statSync(join(place(), `${id}.db`)).size;

    const { bytesBefore, bytesAfter } = await compactStore({ store });

    expect(bytesBefore - bytesAfter).toBeGreaterThan(500_000);
    expect(sizeOf('rests')).toBeLessThan(100_000);
    expect(await ids(store)).toEqual(['rests', 'run']);
  });
});

describe('a file that is removed after its directory was read', () => {
  it('is not made again by whoever looks into it', async () => {
    mkdirSync(place());
    const files = new SessionFiles(place());

    const found = await files.withListed(join(place(), 'gone.db'), ({ store }) => store.list());
    files.close();

    expect(found).toBeUndefined();
    expect(readdirSync(place())).toEqual([]);
  });
});
