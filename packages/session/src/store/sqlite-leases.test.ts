import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../test/support/makers.ts';
import { created } from '../../test/support/store-values.ts';
import type { SessionStore } from '../log/session-store.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
let store: SessionStore;
let other: SessionStore;
let database: DatabaseSync;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-leases-'));
  const path = join(folder, 'sessions.db');
  store = sqliteStore({ path });
  other = sqliteStore({ path });
  for (const id of ['s', 't']) await store.create(id, created());
  database = new DatabaseSync(path, { timeout: 1000 });
  database.exec(`create table full (is_full integer); insert into full values (0);
    create trigger on_full before update of owner on sessions when new.owner is null and (select is_full from full)
    begin select raise(abort, 'no room'); end`);
});
afterEach(async () => {
  database.close();
  await store[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A lease whose release has failed, since there was no room at that moment. */
async function stuckLease() {
  const lease = (await store.acquire('s', 'me', 60_000))!;
  database.exec('update full set is_full = 1');
  const code = await codeOf(store.release(lease));
  database.exec('update full set is_full = 0');
  return { lease, code };
}

describe('a lease that could not be given back', () => {
  it('holds nobody up who asks the same store', async () => {
    const { lease, code } = await stuckLease();

    const left = await store.leaseLeftMs!('s');
    const next = await store.acquire('s', 'next', 60_000);

    expect([code, left]).toEqual(['STORE_FAILED', 0]);
    expect(next).toMatchObject({ owner: 'next', epoch: lease.epoch + 1 });
    expect(await store.renew(next!, 60_000)).toBe(true);
  });

  it('is given back with the next lease, for other processes too', async () => {
    await stuckLease();

    await store.acquire('t', 'somebody', 60_000);

    expect(await other.acquire('s', 'other', 60_000)).toBeDefined();
  });

  it('takes nothing from whoever has taken the session meanwhile', async () => {
    await stuckLease();
    const taken = await other.acquire('s', 'other', 60_000, { takeOver: true });

    await store.acquire('t', 'somebody', 60_000);

    expect(await other.renew(taken!, 60_000)).toBe(true);
  });
});
