import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { created, title, titlesOf } from '../../test/support/store-values.ts';
import type { Lease, SessionStore } from '../log/session-store.ts';
import { commandCase } from '../testing/store/command-case.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-log-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a session that a store has leased', () => {
  let path = '';
  let [here, elsewhere]: SessionStore[] = [];
  let lease: Lease;
  beforeEach(async () => {
    path = join(folder, `${crypto.randomUUID()}.db`);
    [here, elsewhere] = [sqliteStore({ path }), sqliteStore({ path })]; // as two processes have them
    await here.create('s', created());
    lease = (await here.acquire('s', 'me', 0))!;
    await append(here, 1, 'first');
  });
  afterEach(async () => {
    await here![Symbol.asyncDispose]();
    await elsewhere![Symbol.asyncDispose]();
  });

  const append = (store: SessionStore | undefined, head: number, ...titles: string[]) =>
    store!.append('s', { epoch: lease.epoch, head }, titles.map(title));

  it('is not appended to where another process has done so in the same epoch, and goes on behind it', async () => {
    await append(elsewhere, 2, 'theirs');

    const refused = append(here, 2, 'late', 'later');

    await expect(refused).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      details: { found: { epoch: lease.epoch, head: 3 } },
    });
    expect(await append(here, 3, 'ours')).toBe(4);
    expect(await append(here, 4, 'ours too')).toBe(5);
    expect(await titlesOf(here!, 's')).toEqual(['first', 'theirs', 'ours', 'ours too']);
  });

  it.each([1, 3, 4])('is not appended to where %i entries are expected and there are 2', async (head) => {
    await expect(append(here, head, 'elsewhere')).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      details: { found: { head: 2 } },
    });
    expect(await titlesOf(here!, 's')).toEqual(['first']);
  });

  it('is not appended to once another process has taken it over, which has written nothing yet', async () => {
    await elsewhere!.acquire('s', 'another', 0);

    await expect(append(here, 2, 'late')).rejects.toMatchObject({ code: 'SESSION_FENCED' });
    expect(await titlesOf(here!, 's')).toEqual(['first']);
  });

  it('is not appended to once another process has removed it', async () => {
    await elsewhere!.remove('s');

    await expect(append(here, 2, 'late')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('is not taken for one of the same id that has come in its place', async () => {
    await elsewhere!.remove('s');
    await elsewhere!.create('s', created());
    await elsewhere!.acquire('s', 'another', 0);

    await expect(append(here, 1, 'late')).rejects.toMatchObject({ code: 'SESSION_FENCED' });
    expect(await titlesOf(elsewhere!, 's')).toEqual([]);
  });

  it('is where it was before an append whose transaction has failed', async () => {
    failingCommits(path, 'bad');

    const failed = append(here, 2, 'bad');
    await expect(failed).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const behindIt = append(here, 3, 'behind it');
    await expect(behindIt).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    await append(here, 2, 'good');

    expect(await titlesOf(here!, 's')).toEqual(['first', 'good']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an append', () => append(here, 2, 'late').catch(() => undefined)],
    ['a renewal of its lease', () => here!.renew(lease, 0)],
    ['the end of its lease', () => here!.release(lease)],
  ])(
    'is gone with its inbox, where another process has removed the session, at the latest after %s',
    async (_what, act) => {
      await elsewhere!.remove('s');
      await act();

      await expect(here!.inbox('s')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    },
  );
});

describe('two stores on one file', () => {
  it('do together what a model of one does, whichever of them is asked', async () => {
    const make = () => {
      const path = join(folder, `${crypto.randomUUID()}.db`);
      const open = () => inTurn(sqliteStore({ path }), sqliteStore({ path }));
      return { store: open(), reopen: open };
    };

    const played = commandCase(make, { runs: 40, patienceMs: 20_000 }).run();

    await expect(played).resolves.toBeUndefined();
  });
});

/** From now on the disk takes no transaction with a title that says so. */
function failingCommits(path: string, text: string): void {
  const database = new DatabaseSync(path);
  // A reference that is looked at when the transaction ends.
  database.exec(`
    create table known (n integer primary key);
    create table broken (n integer references known deferrable initially deferred);
    create trigger breaking after insert on entries when new.body like '%"${text}"%' begin insert into broken values (1); end`);
  database.close();
}

/** Asks one of the two, as chance has it, for each method that is called. */
function inTurn(first: SessionStore, second: SessionStore): SessionStore {
  let chance = 1;
  const { now: _, ...methods } = first;
  const asked = Object.keys(methods).map((name) => {
    const method = name as keyof typeof methods; // safe: its own key
    const asks = (...values: never[]) => {
      chance = (chance * 48_271) % 2_147_483_647; // always the same, so that a failure can be played again
      return ((chance % 3 === 0 ? second : first)[method] as Method)(...values);
    };
    return [name, asks];
  });
  return {
    ...(Object.fromEntries(asked) as SessionStore), // safe: the same methods
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
}
type Method = (...values: never[]) => never;
