import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { fileStore } from './file-store.ts';
import { erase } from './sqlite-erasure.ts';

it('erase waits for whoever has the lock for longer than one try, a second', { timeout: 15_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erase-'));
  const path = join(folder, 'sessions.db');
  const { store, access } = fileStore(path);
  await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
  const file = access.read();
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  setTimeout(() => other.close(), 1500);

  // Its own writes are done: what is left is to write the file again.
  const done = erase({ ...access, write: async () => [file, 0] as never }, { number: 99, blobs: [] });

  await expect(done).resolves.toBeUndefined();
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
