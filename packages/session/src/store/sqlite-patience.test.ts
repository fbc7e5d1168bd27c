import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreLocker } from '../../test/support/store-locker.ts';
import { isBusy, patiently } from './sqlite-patience.ts';

describe('patiently', () => {
  let folder = '';
  let database: DatabaseSync;
  let locker: StoreLocker;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patience-'));
    const path = join(folder, 'locked.db');
    database = new DatabaseSync(path);
    database.exec('create table t (n integer); insert into t values (1)');
    locker = new StoreLocker(path);
  });
  afterEach(async () => {
    database.close();
    await locker[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const read = () => database.prepare('select n from t').get()?.['n'];
  const timeout = () => database.prepare('pragma busy_timeout').get()?.['timeout'];

  it('waits for a lock that another connection has, and for that one time only', () => {
    locker.holdFor(300);
    const atOnce = thrownBy(read);
    const found = patiently(database, read);
    const left = timeout();
    locker.holdFor(300);
    const afterwards = thrownBy(read);

    expect(isBusy(atOnce)).toBe(true);
    expect(found).toBe(1);
    expect(left).toBe(0);
    expect(isBusy(afterwards)).toBe(true);
  });

  it('does nothing twice that fails for another reason', () => {
    let times = 0;

    const thrown = thrownBy(() => patiently(database, () => database.exec(`select ${++times} from nowhere`)));

    expect(thrown).toMatchObject({ message: expect.stringContaining('nowhere') });
    expect(times).toBe(1);
  });

  it('is as impatient as before when the second try fails too', () => {
    let times = 0;

    const thrown = thrownBy(() =>
      patiently(database, () => {
        throw Object.assign(new Error(`${(times += 1)}`), { errcode: 261 }); // busy, since another one recovers
      }),
    );

    expect(thrown).toMatchObject({ message: '2' });
    expect(timeout()).toBe(0);
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}
