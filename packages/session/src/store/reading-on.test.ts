import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { created, owned, titlesOf } from '../../test/support/store-values.ts';
import type { SessionStore } from '../log/session-store.ts';
import { memoryStore } from './memory-store.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reading-on-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const texts = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
const STORES: readonly [string, () => SessionStore][] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
];

describe.each(STORES)('a log in %s that is read in pages', (_name, make) => {
  it('is read as it was when the reading began, whatever is appended and packed meanwhile', async () => {
    await using store = make();
    const { append, ...lease } = await owned(store);
    await append(1, ...texts(1200));
    await store.release({ ...lease, head: 1 });
    await append(1201, ...texts(70));
    const reading = store.read('s1')[Symbol.asyncIterator]();
    await reading.next();

    await append(1271, 'meanwhile');
    await store.release({ ...lease, head: 1 });

    let read = 1;
    while (!(await reading.next()).done) read += 1;
    expect(read).toBe(1271);
    expect(await titlesOf(store, 's1')).toEqual([...texts(1200), ...texts(70), 'meanwhile']);
  });
});

describe('a log in SQLite', () => {
  it('that is removed while it is read is not gone on with by another of its id', async () => {
    await using store = STORES[1]![1]();
    await (await owned(store)).append(1, ...texts(200));
    const reading = store.read('s1')[Symbol.asyncIterator]();
    await reading.next();

    await store.remove('s1');
    await store.create('s1', created());

    const rest = (async () => {
      while (!(await reading.next()).done);
    })();
    await expect(rest).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
