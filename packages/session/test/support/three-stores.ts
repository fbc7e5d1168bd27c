import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';

/** Makes a store of each kind; file and database are there from before the tests of a file until they are over. */
export function threeStores(): readonly [name: string, open: () => SessionStore][] {
  let [folder, client]: [string, PGlite | undefined] = ['', undefined];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'three-stores-'));
    client = await PGlite.create();
  }, 240_000);
  afterAll(async () => {
    await client?.close();
    await rm(folder, { recursive: true });
  });
  return [
    ['memory', () => memoryStore()],
    ['SQLite', () => sqliteStore({ path: join(folder, 'sessions.db') })],
    ['Postgres', () => postgresStore({ client: client! })], // safe: made before all
  ];
}
