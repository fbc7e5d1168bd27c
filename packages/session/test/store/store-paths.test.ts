import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backupStore, localEngine, serveSessions, sqliteStore } from '../../src/index.ts';
import { scriptedProvider } from '../support/makers.ts';
import { created, item } from '../support/store-values.ts';

let folder = '';
let before = '';
beforeEach(() => {
  before = process.cwd();
  folder = mkdtempSync(join(tmpdir(), 'paths-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const REFUSED: readonly unknown[] = [
  '',
  ':memory:',
  ':memory:x',
  'file:sessions.db',
  'file::memory:?cache=shared',
  'file:///tmp/x.db',
  'sqlite:x.db',
  'sqlite:///x.db',
  'libsql://host',
  'postgres://host/x',
  '~',
  '~/sessions.db',
  'a\0b',
  7,
  null,
  new URL('file:///x'),
];

describe('the place of a store', () => {
  it.each(REFUSED.map((place) => [place]))(
    '%j is refused as a path, a directory and a copy, and makes nothing',
    async (place) => {
      await using store = sqliteStore({ path: 'real.db' });
      await store.create('s1', created());
      const wrong = place as string;

      expect(() => sqliteStore({ path: wrong })).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'path' }),
      );
      expect(() => sqliteStore({ directory: wrong })).toThrow(expect.objectContaining({ field: 'directory' }));
      await expect(backupStore({ store, to: wrong })).rejects.toMatchObject({ field: 'to' });
      expect(readdirSync(folder).filter((name) => !name.startsWith('real.db'))).toEqual([]);
    },
  );

  it.each([
    'x.db',
    './x.db',
    'a/../x.db',
    'ünï cödé.db',
    "it's.db",
    'x',
    '-x.db',
    'a%20b.db',
    'a?b=c#d.db',
    './a:b.db',
  ])('%j is a file of that name', async (path) => {
    await using store = sqliteStore({ path });
    await store.create('s1', created());

    expect(existsSync(join(folder, path))).toBe(true);
    expect((await store.list()).sessions).toHaveLength(1);
  });
});

describe('a file of a directory that cannot be opened', () => {
  it('is listed by its name, holds up no other session, and says why when it is run', async () => {
    await using store = sqliteStore({ directory: 'all' });
    await store.create('good', created());
    await store.enqueue('good', item('Hello.'));
    writeFileSync(join('all', 'bad.db'), 'no database, and longer than the header that SQLite looks for: '.repeat(20));
    chmodSync(join('all', 'bad.db'), 0o600);
    const failed = Promise.withResolvers<[unknown, string]>();
    const answered = Promise.withResolvers<void>();
    const { provider } = scriptedProvider([{ text: 'Hi.' }]);

    const listed = (await store.list()).sessions.map(({ sessionId }) => sessionId).toSorted();
    const inFolder = (await store.list({ cwd: '/work' })).sessions;
    await using engine = localEngine();
    await using _serving = await serveSessions({
      engine,
      store,
      options: () => ({ provider, model: 'm' }),
      onEvent: (event) => void (event.type === 'result' && answered.resolve()),
      onError: (error, sessionId) => failed.resolve([error, sessionId]),
    });
    await answered.promise;

    expect(listed).toEqual(['bad', 'good']);
    expect(inFolder.map(({ sessionId }) => sessionId)).not.toContain('bad');
    expect(await failed.promise).toMatchObject([{ code: 'STORE_FAILED' }, 'bad']);
  });
});
