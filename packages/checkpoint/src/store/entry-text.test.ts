import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../tree/entry.ts';
import { entryOf, entryText, HASH_IN_TEXT } from './entry-text.ts';

const ENTRIES: readonly (Entry | null)[] = [
  null,
  { kind: 'directory', mode: 0o755 },
  { kind: 'symlink', target: '[1,2,"a"] \n\u00ff' },
  { kind: 'file', mode: 0o644, size: 3, hash: 'abc-_' },
  { kind: 'file', mode: 0, size: 3, hash: null, why: 'quota', stamp: '' },
];

describe('entryText', () => {
  it('holds the whole entry', () => {
    expect(ENTRIES.map((entry) => entryOf(entryText(entry)))).toEqual(ENTRIES);
  });

  it('shows SQL the hash of a file, and no other', () => {
    const database = new DatabaseSync(':memory:');
    const hashIn = database.prepare(`SELECT ? ->> '${HASH_IN_TEXT}' AS hash`);

    const hashes = ENTRIES.map((entry) => hashIn.get(entryText(entry))?.['hash']);

    expect(hashes).toEqual([null, null, null, 'abc-_', null]);
    database.close();
  });
});
