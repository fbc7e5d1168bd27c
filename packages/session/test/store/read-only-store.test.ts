import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession, sqliteStore } from '../../src/index.ts';
import { say, scriptedProvider } from '../support/makers.ts';
import { secondProcess } from '../support/second-process.ts';
import { created } from '../support/store-values.ts';

const isRoot = process.getuid?.() === 0;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(isRoot ? '/var/tmp' : tmpdir(), 'read-only-')); // where another user gets to, too
  chmodSync(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

/** Permissions do not hold for root: somebody else looks then. */
const NOBODY = 65_534;
const readerOf = (path: string) => secondProcess(path, 'store-reader.ts', isRoot ? [`${NOBODY}`] : []);
const { provider } = scriptedProvider(() => ({ text: 'Done.' }));

/** A file with one session that has had a run, closed, with these modes. */
async function fileOf({ file, directory }: { readonly file: number; readonly directory: number }): Promise<string> {
  const path = join(folder, crypto.randomUUID(), 'sessions.db');
  mkdirSync(dirname(path));
  await using store = sqliteStore({ path });
  const session = await createSession({ provider, model: 'm', store, cwd: '/' });
  await say(session, 'Begin.');
  await session.close();
  await store[Symbol.asyncDispose]();
  chmodSync(path, file);
  chmodSync(dirname(path), directory);
  return path;
}

interface Look {
  readonly sessions: number;
  readonly exported: number;
  readonly messages: number;
  readonly sent: string;
}
const lookOf = async (other: ReturnType<typeof readerOf>) => JSON.parse(await other.send('look')) as Look; // safe: the program's

describe.skipIf(process.platform === 'win32')('a store that may only be read (not on Windows)', () => {
  it.each([
    ['the file and its directory', 0o444, 0o555],
    ['the file', 0o444, 0o777],
    ['the directory', 0o666, 0o555],
  ])('(%s) is listed, exported and shown; a write says what to do', async (_what, file, directory) => {
    const path = await fileOf({ file, directory });
    const other = readerOf(path);

    const look = await lookOf(other);
    await other.close();
    const left = readdirSync(dirname(path));
    chmodSync(dirname(path), 0o755);

    expect(look).toMatchObject({ sessions: 1, messages: 2, sent: expect.stringContaining('STORE_FAILED') });
    expect(look.exported).toBeGreaterThan(3);
    expect(look.sent).toMatch(/Nothing of it was recorded\. Give this user the right to write the file/);
    expect(left).toEqual(['sessions.db']);
    expect(statSync(path).mode & 0o777).toBe(file);
  });

  it('is written as soon as it may be', async () => {
    const path = await fileOf({ file: 0o444, directory: 0o555 });
    if (isRoot) for (const name of [path, dirname(path)]) chownSync(name, NOBODY, NOBODY);
    const other = readerOf(path);

    const before = await lookOf(other);
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o644);
    const after = await lookOf(other);
    await other.close();

    expect([before.sent.slice(0, 12), after.sent]).toEqual(['STORE_FAILED', 'recorded']);
  });
});

describe.skipIf(!isRoot)('a file of another user (needs root, to be two users)', () => {
  it('is read as its owner has left it each time', async () => {
    const path = await fileOf({ file: 0o644, directory: 0o755 });
    const other = readerOf(path);
    const before = await lookOf(other);
    const store = sqliteStore({ path });
    await store.create('s2', created('/'));

    const between = await lookOf(other);
    await store[Symbol.asyncDispose]();
    const after = await lookOf(other);
    await other.close();

    expect([before.sessions, between.sessions, after.sessions]).toEqual([1, 2, 2]);
  });

  it('that may be written is written, and keeps its mode', async () => {
    const path = await fileOf({ file: 0o666, directory: 0o777 });
    const other = readerOf(path);

    const look = await lookOf(other);
    await other.close();

    expect(look.sent).toBe('recorded');
    expect(statSync(path).mode & 0o777).toBe(0o666);
  });
});
