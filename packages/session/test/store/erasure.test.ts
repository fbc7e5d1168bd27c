import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compactStore, deleteSession, type SessionStore, sqliteStore } from '../../src/index.ts';
import { created, item, owned, title } from '../support/store-values.ts';

let folder = '';
let path = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'erasure-'));
});
beforeEach(() => {
  path = join(folder, `${crypto.randomUUID()}.db`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How often a text is in the files of the store: the database, its log, its index. */
function found(text: string): number[] {
  return ['', '-wal', '-shm'].map((end) => {
    const file = `${path}${end}`;
    return existsSync(file) ? readFileSync(file, 'latin1').split(text).length - 1 : 0;
  });
}

/** A session in which a text has been everywhere that a text may be. */
async function sessionWith(store: SessionStore, sessionId: string, text: string): Promise<void> {
  const { epoch, ...lease } = await owned(store, sessionId);
  const [waits, long] = [item(text), item(text.repeat(1000))];
  for (const one of [waits, long]) await store.enqueue(sessionId, one);
  await store.append(sessionId, { epoch, head: 1 }, [title(text), title(text.repeat(800))], [waits.message.id]);
  await store.append(sessionId, { epoch, head: 3 }, [{ type: 'metadata', metadata: { text } }], [long.message.id]);
  const many = Array.from({ length: 450 }, () => title(text)); // more than is overwritten at a time
  await store.append(sessionId, { epoch, head: 4 }, many);
  for (const seq of [3, 4])
    await store.saveSnapshot(sessionId, { seq, format: 1, state: new TextEncoder().encode(text.repeat(seq * 500)) });
  await store.putBlob(sessionId, 'abc', new TextEncoder().encode(text.repeat(9000)));
  await store.enqueue(sessionId, item(text));
  await store.release({ sessionId, epoch, owner: lease.owner, head: 4 });
}

describe('deleteSession() in SQLite', () => {
  it('leaves nothing in any file of the store of what was said, waited, was delivered, summed up or stored as a blob', async () => {
    await using store = sqliteStore({ path });
    await sessionWith(store, 's1', 'SECRET-4711');
    await store.create('other', created());
    const before = found('SECRET-4711');

    await deleteSession('s1', { store });

    expect(before[1]).toBeGreaterThan(0);
    expect(found('SECRET-4711')).toEqual([0, 0, 0]);
  });

  it('empties the log as soon as nobody reads it any more', async () => {
    await using store = sqliteStore({ path });
    await sessionWith(store, 's1', 'SECRET-4711');
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from entries').get();

    const deleted = deleteSession('s1', { store });
    setTimeout(() => reader.close(), 100);
    await deleted;

    expect(found('SECRET-4711')).toEqual([0, 0, 0]);
  });

  it('does not wait for long for one that reads on, and empties the log later', { timeout: 10_000 }, async () => {
    await using store = sqliteStore({ path });
    await sessionWith(store, 's1', 'SECRET-4711');
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from entries').get();

    await deleteSession('s1', { store });
    const meanwhile = found('SECRET-4711')[1];
    reader.close();

    expect(meanwhile).toBeGreaterThan(0);
    await expect.poll(() => found('SECRET-4711'), { timeout: 5000 }).toEqual([0, 0, 0]);
  });

  it('lets no second removal wait once the first one has', { timeout: 10_000 }, async () => {
    await using store = sqliteStore({ path });
    for (const id of ['s1', 's2', 's3']) await sessionWith(store, id, `SECRET-${id}`);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from entries').get();

    await Promise.all([deleteSession('s1', { store }), deleteSession('s2', { store })]);
    await deleteSession('s3', { store });
    const meanwhile = found('SECRET-s3')[1];
    reader.close();

    expect(meanwhile).toBeGreaterThan(0);
    for (const id of ['s1', 's2', 's3'])
      await expect.poll(() => found(`SECRET-${id}`), { timeout: 5000 }).toEqual([0, 0, 0]);
  });

  it('leaves nothing of what SQLite has moved from page to page among many sessions', async () => {
    await using store = sqliteStore({ path });
    const ids = await manySessions(store);

    await Promise.all(ids.slice(0, 3).map((id) => deleteSession(id, { store })));
    for (const id of ids.slice(3, 6)) await deleteSession(id, { store });

    for (const one of [0, 1, 2, 3, 4, 5]) expect(found(`SECRET${one}-`)).toEqual([0, 0, 0]);
    expect(found('SECRET7-')[0]).toBeGreaterThan(0);
  });
});

describe('compactStore()', () => {
  it('makes the file smaller, and keeps what is in it', async () => {
    await using store = sqliteStore({ path });
    await manySessions(store);
    for (const [seq, size] of [
      [2, 600_000],
      [3, 10],
    ] as const)
      await store.saveSnapshot('s5', { seq, format: 1, state: new Uint8Array(size) });
    const before = found('SECRET5-')[0]!;

    const { bytesBefore, bytesAfter } = await compactStore({ store });

    expect(before).toBeGreaterThan(0);
    expect(bytesAfter).toBeLessThan(bytesBefore);
    expect(readFileSync(path).length).toBe(bytesAfter);
    expect((await Array.fromAsync(store.read('s5'))).length).toBeGreaterThan(1);
  });

  it('is refused while a session is run, which goes on', async () => {
    await using store = sqliteStore({ path });
    const { append, ...lease } = await owned(store);

    await expect(compactStore({ store })).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      message: expect.stringContaining('s1'),
    });

    expect(await append(1, 'goes on')).toBe(2);
    await store.release({ ...lease, head: 2 });
    await expect(compactStore({ store })).resolves.toMatchObject({ bytesAfter: expect.any(Number) });
    expect((await store.list()).sessions).toHaveLength(1);
  });
});

/** Twelve sessions that have grown next to each other. The texts of the first begin with SECRET0-. */
async function manySessions(store: SessionStore): Promise<string[]> {
  const random = numbers(11);
  const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const sessions = await Promise.all(ids.map((id) => owned(store, id)));
  const heads = ids.map(() => 1);
  for (let step = 0; step < 300; step++) {
    const one = Math.floor(random() * 12);
    const waits = item(`SECRET${one}-${'y'.repeat(random() ** 4 * 3000)}-SECRET${one}-`);
    const sent = store.enqueue(`s${one}`, waits);
    const { epoch } = sessions[one]!;
    const said = title(`SECRET${one}-${'y'.repeat(random() ** 4 * 3000)}`);
    heads[one] = await store.append(`s${one}`, { epoch, head: heads[one]! }, [said], [waits.message.id]);
    await sent;
  }
  await Promise.all(sessions.map((lease) => store.release({ ...lease, head: 0 })));
  return ids;
}

/** Always the same numbers between 0 and 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
