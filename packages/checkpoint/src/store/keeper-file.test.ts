import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KeeperFile } from './keeper-file.ts';

function placeOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keeper-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}

describe('KeeperFile', () => {
  it.each<[string, (path: string) => void, RegExp]>([
    ['another program', (path) => changed(path, 'CREATE TABLE t (a)'), /of another program/],
    ['an earlier version', (path) => ofVersion(path, 1), /version 1, .*version 2; remove it/],
    ['a later version', (path) => ofVersion(path, 9), /version 9, .*version 2; remove it/],
    ['no database', (path) => writeFileSync(path, 'text '.repeat(1_000)), /cannot be used/],
  ])('refuses a file of %s, and leaves it as it is', (_, make, message) => {
    const path = placeOf('file');
    make(path);
    const { size } = statSync(path);

    expect(() => new KeeperFile(path)).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_FILE', message: expect.stringMatching(message) }),
    );
    expect(statSync(path).size).toBe(size);
  });

  it('belongs to one user, and to one who has opened it', () => {
    const path = placeOf('file');
    const one = new KeeperFile(path);

    expect(() => new KeeperFile(path)).toThrow('Another process');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    one.close();
    new KeeperFile(path).close();
  });

  it('does all of a transaction or nothing', () => {
    const file = new KeeperFile(placeOf('file'));
    onTestFinished(() => file.close());
    const add = (name: string) => file.run('INSERT INTO facts VALUES (?, ?)', name, '1');

    file.transaction(() => add('kept'));
    expect(() =>
      file.transaction(() => {
        add('lost');
        throw new Error('on the way');
      }),
    ).toThrow('on the way');
    expect(file.all('SELECT name FROM facts')).toEqual([{ name: 'kept' }]);
  });
});

function ofVersion(path: string, version: number): void {
  new KeeperFile(path).close();
  changed(path, `PRAGMA user_version = ${version}`);
}

function changed(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
