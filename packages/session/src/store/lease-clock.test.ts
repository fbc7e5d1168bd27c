import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteStore } from './sqlite-store.ts';

const DAY_MS = 86_400_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lease-clock-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A session whose lease this process holds for `ttlMs`, and what changes the row of the session behind the store's back. */
async function heldSession(name: string, ttlMs: number) {
  const path = join(folder, name);
  const store = sqliteStore({ path });
  await store.create('s', { type: 'session_created', format: 1, cwd: '/' });
  const lease = await store.acquire('s', 'holder', ttlMs);
  const database = new DatabaseSync(path);
  const close = async () => {
    database.close();
    await store[Symbol.asyncDispose]();
  };
  return { store, lease: lease!, database, close };
}

/** The holder belongs to another boot or machine: its process and its clock say nothing here. */
const ELSEWHERE = "update sessions set owner = json_set(owner, '$.clock', 'elsewhere', '$.process', 'elsewhere')";

describe.skipIf(process.platform !== 'linux')(
  'the clock of leases (Linux; elsewhere they go by the time of day)',
  () => {
    it('keeps a lease, although by the time of day it has ended long ago', async () => {
      const { store, database, close } = await heldSession('forward.db', 10_000);
      database.exec('update sessions set lease_until = 0');

      const other = await store.acquire('s', 'other', 1000);

      expect(other).toBeUndefined();
      await close();
    });

    it('ends a lease, although by the time of day it lasts for 400 days', async () => {
      const { store, database, close } = await heldSession('back.db', -1);
      database.exec(`update sessions set lease_until = lease_until + ${400 * DAY_MS}`);

      const other = await store.acquire('s', 'other', 1000);

      expect(other).toMatchObject({ owner: 'other', epoch: 2 });
      await close();
    });
  },
);

describe('a lease of another machine, or of an earlier boot', () => {
  it('goes by the time of day', async () => {
    const { store, database, close } = await heldSession('elsewhere.db', 10_000);
    database.exec(ELSEWHERE);

    const whileItLasts = await store.acquire('s', 'other', 1000);
    database.exec('update sessions set lease_until = 0');
    const afterwards = await store.acquire('s', 'other', 1000);

    expect(whileItLasts).toBeUndefined();
    expect(afterwards).toMatchObject({ epoch: 2 });
    await close();
  });

  it('lasts no longer than it was made for once somebody asks, when the time of day has jumped back', async () => {
    const { store, lease, database, close } = await heldSession('far.db', 30);
    database.exec(ELSEWHERE);
    database.exec(`update sessions set lease_until = lease_until + ${400 * DAY_MS}`);

    const first = await store.acquire('s', 'other', 1000);
    const { lease_until: until } = database.prepare('select lease_until from sessions').get()!;
    const renewed = await store.renew(lease, 10_000);

    expect(first).toBeUndefined();
    expect(Number(until) - Date.now()).toBeLessThanOrEqual(30);
    expect(renewed).toBe(true);
    await close();
  });

  it('is free when what is noted of its holder cannot be read and its time is over', async () => {
    const { store, database, close } = await heldSession('unreadable.db', 10_000);
    database.exec("update sessions set owner = 'nobody knows', lease_until = 0");

    const next = await store.acquire('s', 'other', 1000);

    expect(next).toMatchObject({ epoch: 2 });
    await close();
  });
});
