import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AgentError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNeighbours } from './check-neighbours.ts';
import { isLostFile, NamedFile } from './named-file.ts';
import { makeFile, obstacleTo } from './sqlite-connect.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connect-'));
  path = join(folder, 'sessions.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A file of SQLite in WAL mode, with one row. */
function fileWithARow(): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; create table t (n integer); insert into t values (1)');
  return database;
}

describe.skipIf(process.platform === 'win32')('makeFile (not on Windows)', () => {
  it('takes the rights of others away from an empty file of its user, and leaves one that is filled', () => {
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    makeFile(path);
    const empty = statSync(path).mode & 0o777;
    writeFileSync(path, 'filled');
    chmodSync(path, 0o644);
    makeFile(path);

    expect([empty, statSync(path).mode & 0o777]).toEqual([0o600, 0o644]);
  });
});

describe('obstacleTo', () => {
  it('says why a file can neither be written nor read, and nothing of one that can be written', () => {
    expect(() => obstacleTo(path)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    writeFileSync(path, '');
    expect(obstacleTo(path)).toBeUndefined();
  });
});

describe('a file that has a name', () => {
  it('is another one once it was written to, removed or replaced', () => {
    writeFileSync(path, 'one');
    const file = new NamedFile(path);
    const before = [file.isThere(), file.isUnchanged()];
    writeFileSync(path, 'other');
    const written = [file.isThere(), file.isUnchanged()];
    rmSync(path);
    const removed = [file.isThere(), file.isUnchanged()];

    expect([before, written, removed]).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });
});

describe('isLostFile', () => {
  it.each([
    ['that names its path', new AgentError('Lost', { code: 'STORE_FAILED', details: { path: 'p' } }), true],
    ['that names none', new AgentError('Full', { code: 'STORE_FAILED' }), false],
    ['of another kind', new AgentError('Gone', { code: 'SESSION_NOT_FOUND', details: { path: 'p' } }), false],
    ['of somebody else', new Error('STORE_FAILED'), false],
  ])('knows a failure of the store by its path: one %s', (_what, error, isLost) => {
    expect(isLostFile(error)).toBe(isLost);
  });
});

describe('checkNeighbours', () => {
  it('refuses a file whose index was taken away while somebody has it open, and says what to do', () => {
    const owner = fileWithARow();
    rmSync(`${path}-shm`);

    expect(() => checkNeighbours(path)).toThrow(expect.objectContaining({ code: 'STORE_FAILED', retryable: true }));
    owner.close();
  });

  it('brings a log home that a crash has left without its index', () => {
    const owner = fileWithARow();
    const left = ['', '-wal'].map(
      (end) => [path + end, Uint8Array.from(process.getBuiltinModule('node:fs').readFileSync(path + end))] as const,
    );
    owner.close();
    for (const [name, bytes] of left) writeFileSync(name, bytes);

    checkNeighbours(path);

    const database = new DatabaseSync(path);
    expect({ ...database.prepare('select n from t').get() }).toEqual({ n: 1 });
    database.close();
  });

  it('takes the index of a removed file away', () => {
    writeFileSync(path, '');
    writeFileSync(`${path}-shm`, 'old');

    checkNeighbours(path);

    expect(existsSync(`${path}-shm`)).toBe(false);
  });
});
