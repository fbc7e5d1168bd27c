import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/store/memory-store.ts';
import { sqliteStore } from '../../src/store/sqlite-store.ts';
import { storeContract } from '../../src/testing/index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stores-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('memoryStore', () => {
  for (const { name, run } of storeContract(() => ({ store: memoryStore() }), { lasting: false })) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }
});

describe('sqliteStore', () => {
  const make = () => {
    const path = join(folder, `${crypto.randomUUID()}.db`);
    return { store: sqliteStore({ path }), reopen: () => sqliteStore({ path }) };
  };

  for (const { name, run } of storeContract(make, { commandRuns: 10 })) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }
});

describe('sqliteStore with a file for each session', () => {
  const make = () => {
    const directory = join(folder, crypto.randomUUID());
    return { store: sqliteStore({ directory }), reopen: () => sqliteStore({ directory }) };
  };

  for (const { name, run } of storeContract(make, { commandRuns: 10 })) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }
});
