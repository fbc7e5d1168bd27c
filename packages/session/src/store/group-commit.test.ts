import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SessionError } from '@x/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.ts';

let database: DatabaseSync;
let commits: GroupCommit;
const changes = () => Number(database.prepare('select total_changes() as n').get()!['n']);
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('create table t (n integer primary key)');
  commits = new GroupCommit(database, { changes, path: 'x.db' });
});

const insert = (n: number) => () => database.prepare('insert into t values (?)').run(n).changes;
const rows = () =>
  database
    .prepare('select n from t order by n')
    .all()
    .map(({ n }) => n);

/** How many transactions `act` commits. */
async function commitsDuring(act: () => Promise<unknown>): Promise<number> {
  const exec = database.exec.bind(database);
  let count = 0;
  database.exec = (sql) => {
    if (sql === 'commit') count += 1;
    exec(sql);
  };
  await act();
  return count;
}

describe('GroupCommit', () => {
  it('writes what waits together in one transaction, in order', async () => {
    const order: number[] = [];

    const count = await commitsDuring(() =>
      Promise.all([3, 1, 2].map((n) => commits.write(() => (order.push(n), insert(n)())))),
    );

    expect(count).toBe(1);
    expect(order).toEqual([3, 1, 2]);
    expect(rows()).toEqual([1, 2, 3]);
  });

  it('answers with what the work returned', async () => {
    expect(await Promise.all([commits.write(() => 'a'), commits.write(() => 2)])).toEqual(['a', 2]);
  });

  it('refuses one that throws before it changes anything, and commits the others in the same transaction', async () => {
    const refusal = new SessionError('no', { code: 'SESSION_CONFLICT' });
    const outcomes: unknown[] = [];

    const count = await commitsDuring(async () => {
      const writes = [
        commits.write(insert(1)),
        commits.write(() => {
          throw refusal;
        }),
        commits.write(insert(2)),
      ];
      outcomes.push(...(await Promise.allSettled(writes)));
    });

    expect(count).toBe(1);
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
    database.exec = ((exec) => (sql: string) => {
      if (sql === 'commit') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      exec(sql);
    })(database.exec.bind(database));

    const outcomes = await Promise.allSettled([commits.write(insert(1)), commits.write(insert(2))]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({
      reason: { code: 'STORE_FAILED', message: expect.stringContaining('SQLite 10') },
    });
    expect(rows()).toEqual([]);
  });

  it.each([
    [1, /Nothing of it was recorded/],
    [2, /may be found recorded after a crash/],
  ])(
    'that could not be flushed is written over, or says that it may come back (%i failures)',
    async (failures, text) => {
      const done: string[] = [];
      let left = failures;
      database.exec = ((exec) => (sql: string) => {
        if (sql.endsWith('commit') && left-- > 0) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
        exec(sql);
        done.push(sql);
      })(database.exec.bind(database));

      const refused = await commits.write(insert(1)).catch((error: unknown) => error);
      const overwritten = done.some((sql) => sql.includes('user_version') && sql.endsWith('commit'));
      await commits.write(insert(2));

      expect(refused).toMatchObject({ code: 'STORE_FAILED', message: expect.stringMatching(text) });
      expect(overwritten).toBe(failures === 1);
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
    let holder: DatabaseSync;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'group-commit-'));
      const path = join(folder, 'locked.db');
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
      commits = new GroupCommit(database, { changes, path: 'x.db' });
      const writes = [1, 2].map((n) => commits.write(insert(n)));
      let turns = 0;
      while (turns < 10) await new Promise((resolve) => setTimeout(resolve, (turns += 1) && 1));

      writes.push(commits.write(insert(3)));
      holder.exec('rollback');
      const count = await commitsDuring(() => Promise.all(writes));

      expect(count).toBe(1);
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

    it('leaves reads their own patience', async () => {
      await commits.write(insert(1)).catch(() => undefined);

      expect(database.prepare('pragma busy_timeout').get()).toEqual({ timeout: 5000 });
    });
  });
});
