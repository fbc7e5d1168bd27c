import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SessionError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreLocker } from '../../test/support/store-locker.ts';
import { GroupCommit } from './group-commit.ts';

let database: DatabaseSync;
let commits: GroupCommit;
/** The writes that each transaction was begun for. */
let begun: number[];
const onBegun = (writes: number) => void begun.push(writes);
const changes = () => Number(database.prepare('select total_changes() as n').get()!['n']);
beforeEach(() => {
  begun = [];
  database = new DatabaseSync(':memory:');
  database.exec('create table t (n integer primary key)');
  commits = new GroupCommit(database, { changes, path: 'x.db', onBegun });
});

const insert = (n: number) => () => database.prepare('insert into t values (?)').run(n).changes;
const rows = () =>
  database
    .prepare('select n from t order by n')
    .all()
    .map(({ n }) => n);

/** The disk fails at the next commits, so many times. What is prepared or executed and has not failed. */
function failingCommits(times: number): string[] {
  const done: string[] = [];
  const [prepare, exec] = [database.prepare.bind(database), database.exec.bind(database)];
  let left = times;
  database.exec = (sql) => {
    exec(sql);
    done.push(sql);
  };
  database.prepare = (sql) => {
    const statement = prepare(sql);
    const run = statement.run.bind(statement);
    statement.run = (...values: never[]) => {
      if (sql === 'commit' && left-- > 0) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
      const result = run(...values);
      done.push(sql);
      return result;
    };
    return statement;
  };
  return done;
}

describe('GroupCommit', () => {
  it('flushes what it commits, unless all of a batch may be lost in a power cut', async () => {
    const flushes = () => database.prepare('pragma synchronous').get()!['synchronous'] === 2; // sqlite.org/pragma.html#pragma_synchronous
    const mayBeLost = true;

    const alone = [
      await commits.write(flushes),
      await commits.write(flushes, { mayBeLost }),
      await commits.write(flushes),
    ];
    const together = await Promise.all([commits.write(flushes, { mayBeLost }), commits.write(flushes)]);
    const lost = await Promise.all([commits.write(flushes, { mayBeLost }), commits.write(flushes, { mayBeLost })]);
    const last = commits.write(flushes);
    commits.flush();

    expect(alone).toEqual([true, false, true]);
    expect(together).toEqual([true, true]);
    expect(lost).toEqual([false, false]);
    expect(await last).toBe(true);
  });

  it('writes what waits together in one transaction, in order', async () => {
    const order: number[] = [];

    await Promise.all([3, 1, 2].map((n) => commits.write(() => (order.push(n), insert(n)()))));

    expect(begun).toEqual([3]);
    expect(order).toEqual([3, 1, 2]);
    expect(rows()).toEqual([1, 2, 3]);
  });

  it('answers with what the work returned', async () => {
    expect(await Promise.all([commits.write(() => 'a'), commits.write(() => 2)])).toEqual(['a', 2]);
  });

  it('refuses one that throws before it changes anything, and commits the others in the same transaction', async () => {
    const refusal = new SessionError('no', { code: 'SESSION_CONFLICT' });

    const outcomes = await Promise.allSettled([
      commits.write(insert(1)),
      commits.write(() => {
        throw refusal;
      }),
      commits.write(insert(2)),
    ]);

    expect(begun).toEqual([3]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled' },
    ]);
    expect(rows()).toEqual([1, 2]);
  });

  it('undoes one that throws after it has changed something, and keeps the others', async () => {
    const half = () => {
      insert(7)();
      throw new Error('half done');
    };

    const outcomes = await Promise.allSettled([
      commits.write(insert(1)),
      commits.write(half),
      commits.write(insert(2)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'STORE_FAILED', cause: { message: 'half done' } } });
    expect(rows()).toEqual([1, 2]);
  });

  it('acknowledges nothing before the commit (ZD20)', async () => {
    failingCommits(Number.POSITIVE_INFINITY);
    commits = new GroupCommit(database, { changes, path: 'x.db' });

    const outcomes = await Promise.allSettled([commits.write(insert(1)), commits.write(insert(2))]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({
      reason: { code: 'STORE_FAILED', message: expect.stringContaining('SQLite 1034') },
    });
    expect(rows()).toEqual([]);
  });

  it.each([
    [1, /Nothing of it was recorded/],
    [2, /may be found recorded after a crash/],
  ])(
    'that could not be flushed is written over, or says that it may come back (%i failures)',
    async (failures, text) => {
      const done = failingCommits(failures);
      commits = new GroupCommit(database, { changes, path: 'x.db' });

      const refused = await commits.write(insert(1)).catch((error: unknown) => error);
      const end = done.slice(-2);
      await commits.write(insert(2));

      expect(refused).toMatchObject({ code: 'STORE_FAILED', message: expect.stringMatching(text) });
      expect(end).toEqual(['pragma user_version = 0', failures === 1 ? 'commit' : 'rollback']);
      expect(rows()).toEqual([2]);
    },
  );

  it('works again after a failure', async () => {
    await commits
      .write(() => {
        throw new Error('once');
      })
      .catch(() => undefined);

    await commits.write(insert(5));

    expect(rows()).toEqual([5]);
  });

  it('commits what waits at once when asked to', async () => {
    const write = commits.write(insert(1));

    commits.flush();

    expect(rows()).toEqual([1]);
    expect(await write).toBe(1);
  });

  describe('when another connection has the lock', () => {
    let folder = '';
    let path = '';
    let holder: DatabaseSync;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'group-commit-'));
      path = join(folder, 'locked.db');
      holder = new DatabaseSync(path);
      holder.exec('create table t (n integer primary key); begin immediate');
      database = new DatabaseSync(path);
      commits = new GroupCommit(database, { changes, path: 'x.db', patienceMs: 30 });
    });
    afterEach(async () => {
      holder.close();
      database.close();
      await rm(folder, { recursive: true });
    });

    it('waits without holding up the event loop, and commits in order once the lock is free', async () => {
      commits = new GroupCommit(database, { changes, path: 'x.db', onBegun });
      const writes = [1, 2].map((n) => commits.write(insert(n)));
      let turns = 0;
      while (turns < 10) await new Promise((resolve) => setTimeout(resolve, (turns += 1) && 1));

      writes.push(commits.write(insert(3)));
      holder.exec('rollback');
      await Promise.all(writes);

      expect(begun).toEqual([3]);
      expect(rows()).toEqual([1, 2, 3]);
    });

    it('fails all that wait when its patience is over, and writes again afterwards', async () => {
      const outcomes = await Promise.allSettled([1, 2, 3].map((n) => commits.write(insert(n))));
      holder.exec('rollback');
      await commits.write(insert(4));

      expect(outcomes.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
        Array(3).fill('STORE_FAILED'),
      );
      expect(rows()).toEqual([4]);
    });

    it('commits at once what is asked to be: waits for the lock, which only this time holds up the event loop', async () => {
      holder.exec('rollback');
      await using locker = new StoreLocker(path);
      const write = commits.write(insert(1));
      locker.holdFor(20);

      commits.flush();

      expect(rows()).toEqual([1]);
      expect(await write).toBe(1);
      expect(database.prepare('pragma busy_timeout').get()).toEqual({ timeout: 0 });
    });

    it('waits at a commit for another connection that reads, where there is no write-ahead log', async () => {
      holder.exec('rollback');
      await using locker = new StoreLocker(path, 'begin; select * from t');
      locker.holdFor(30);

      await commits.write(insert(1));

      expect(rows()).toEqual([1]);
    });

    it('waits for the lock with each one that is tried alone', async () => {
      holder.exec('rollback');
      await using locker = new StoreLocker(path);
      const exec = database.exec.bind(database);
      let left = 1;
      database.exec = (sql) => {
        exec(sql);
        if (sql === 'rollback' && left-- > 0) locker.holdFor(20);
      };
      const half = () => {
        insert(7)();
        throw new Error('half done');
      };

      const outcomes = await Promise.allSettled([commits.write(insert(1)), commits.write(half)]);

      expect(outcomes).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { cause: { message: 'half done' } } },
      ]);
      expect(rows()).toEqual([1]);
    });
  });
});
