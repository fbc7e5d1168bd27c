import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresClient, type PostgresPool, postgresStore } from '../../src/postgres/index.ts';
import { storeContract } from '../../src/testing/index.ts';
import { codeOf } from '../support/makers.ts';

let client: PGlite;
let stores = 0;
beforeAll(async () => {
  client = await PGlite.create();
}, 240_000);
afterAll(() => client.close());

/** A store of its own on the one database. */
function make() {
  const schema = `s${(stores += 1)}`;
  return { store: postgresStore({ client, schema }), reopen: () => postgresStore({ client, schema }) };
}

/** It changes the clock of this process, and the server is in it. */
const OWN_CLOCK = 'ends leases by its own clock, whatever the time of day of this process';

describe('postgresStore on PGlite', () => {
  for (const { name, run } of storeContract(make, { commandRuns: 2 }).filter((one) => one.name !== OWN_CLOCK)) {
    it(name, () => expect(run()).resolves.toBeUndefined());
  }
});

/** The one database behind a pool. `lost`: the answers of statements with this text are lost on their way. */
function poolOver(lost: { text?: string } = {}) {
  const [named, released]: [Set<string>, unknown[]] = [new Set(), []];
  const pool: PostgresPool = {
    connect: async () => ({
      async query({ name, text, values }) {
        if (name !== undefined) named.add(name);
        const { rows } = await client.query<Record<string, string>>(text, values);
        if (lost.text === undefined || !text.includes(lost.text)) return { rows };
        delete lost.text;
        throw new Error('Connection terminated unexpectedly');
      },
      release: (destroy) => void released.push(destroy),
      on: () => undefined,
      off: () => undefined,
    }),
  };
  return { pool, named, released };
}
const created = { type: 'session_created', format: 1, cwd: '/' } as const;
const title = { type: 'title', title: 'a' } as const;
const item = { message: { id: 'm1', role: 'user', content: [], createdAt: '' }, priority: 'next' } as never; // safe: it is only kept

describe('postgresStore on a pool', () => {
  it('prepares statements under names, or not, and gives connections back', async () => {
    const [one, other] = [poolOver(), poolOver()];
    const schema = `s${(stores += 1)}`;
    const prepared = postgresStore({ pool: one.pool, schema });
    const plain = postgresStore({ pool: other.pool, schema, prepared: false });
    await prepared.create('s1', created);
    await plain.remove('s1');
    const missing = await codeOf(plain.remove('s1'));

    expect([one.named.size > 0, other.named.size, missing]).toEqual([true, 0, 'SESSION_NOT_FOUND']);
    expect(new Set([...one.released, ...other.released])).toEqual(new Set([false]));
  });

  it('closes a lost connection, and says of an append that the same once more finds out', async () => {
    const lost: { text?: string } = {};
    const { pool, released } = poolOver(lost);
    const store = postgresStore({ pool, schema: `s${(stores += 1)}` });
    await store.create('s1', created);
    const { epoch = 0 } = (await store.acquire('s1', 'me', 1_000)) ?? {};
    lost.text = 'insert into';
    const append = () => store.append('s1', { epoch, head: 1 }, [title]);

    await expect(append()).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
    expect([released.at(-1), await codeOf(append())]).toEqual([true, 'SESSION_CONFLICT']);
  });

  it('does not say of a new session that the same may be asked again', async () => {
    const lost: { text?: string } = {};
    const store = postgresStore({ pool: poolOver(lost).pool, schema: `s${(stores += 1)}` });
    await store.list();
    lost.text = 'insert into';

    const refused = store.create('s1', created);

    await expect(refused).rejects.toThrow('Whether it was recorded is not known: look before trying again');
    await expect(refused).rejects.not.toHaveProperty('retryable', true);
  });

  it('takes a message whose first answer was lost as new when it is sent again, and once', async () => {
    const lost: { text?: string } = {};
    const store = postgresStore({ pool: poolOver(lost).pool, schema: `s${(stores += 1)}` });
    await store.create('s1', created);
    lost.text = 'insert into';
    await expect(store.enqueue('s1', item)).rejects.toMatchObject({ retryable: true });

    expect([await store.enqueue('s1', item), await store.enqueue('s1', item)]).toEqual([true, false]);
    expect(await store.inbox('s1')).toHaveLength(1);
  });

  it('gives a lease back later that could not be given back, before anybody asks for one', async () => {
    const lost: { text?: string } = {};
    const { pool } = poolOver(lost);
    const failing: PostgresPool = {
      connect: async () => (lost.text === 'all' ? Promise.reject(new Error('connect ETIMEDOUT')) : pool.connect()),
    };
    const store = postgresStore({ pool: failing, schema: `s${(stores += 1)}` });
    await store.create('s1', created);
    const lease = (await store.acquire('s1', 'me', 600_000))!; // safe: it was free
    lost.text = 'all';
    await expect(store.release(lease)).rejects.toMatchObject({ retryable: true });
    delete lost.text;

    expect(await store.leaseLeftMs?.('s1')).toBe(0);
    expect(await store.acquire('s1', 'other', 1_000)).toMatchObject({ owner: 'other' });
  });
});

describe('a lease of postgresStore', () => {
  it('whose answer was lost is given back when somebody asks again', async () => {
    const lost: { text?: string } = {};
    const store = postgresStore({ pool: poolOver(lost).pool, schema: `s${(stores += 1)}` });
    await store.create('s1', created);
    lost.text = 'lease_until = ';
    await expect(store.acquire('s1', 'me', 600_000)).rejects.toMatchObject({ retryable: true });

    expect(await store.acquire('s1', 'other', 1_000)).toMatchObject({ owner: 'other', epoch: 2 });
  });
});

describe('the tables of postgresStore', () => {
  it('are not made without migrate, which the error says', async () => {
    const store = postgresStore({ client, schema: 'missing', migrate: false });

    await expect(store.list()).rejects.toThrow(
      'in the schema missing are missing; open the store once with migrate: true',
    );
  });

  it.each([
    ['of a newer minor version are used', 'minor = 7', 'resolved'],
    ['of a newer major version are refused', 'major = 2', 'LOG_TOO_NEW'],
    ['of an older version are not used without migrate', 'major = 0', 'STORE_FAILED'],
  ])('%s', async (_what, change, code) => {
    const schema = `s${(stores += 1)}`;
    await postgresStore({ client, schema }).list();
    await client.query(`update ${schema}.version set ${change}`);

    expect(await codeOf(postgresStore({ client, schema, migrate: false }).list())).toBe(code);
  });

  it('are brought forward from an older version', async () => {
    const schema = `s${(stores += 1)}`;
    await postgresStore({ client, schema }).create('s1', created);
    await client.query(`update ${schema}.version set minor = -1`);

    expect((await postgresStore({ client, schema }).list()).sessions).toHaveLength(1);
    expect((await client.query(`select minor from ${schema}.version`)).rows).toEqual([{ minor: 0 }]);
  });

  it('are missed by name when somebody drops them', async () => {
    const schema = `s${(stores += 1)}`;
    const store = postgresStore({ client, schema });
    await store.list();
    await client.query(`drop schema ${schema} cascade`);

    await expect(store.list()).rejects.toThrow('The tables are missing: open the store once with migrate: true');
  });

  it('hold what was changed from outside for damaged', async () => {
    const schema = `s${(stores += 1)}`;
    const store = postgresStore({ client, schema });
    await store.create('s1', created);
    await store.enqueue('s1', item);
    await client.query(`update ${schema}.messages set body = '{'`);
    expect(await codeOf(store.inbox('s1'))).toBe('LOG_DAMAGED');
    const lease = (await store.acquire('s1', 'me', 0))!; // safe: it was free
    await store.append('s1', lease, [title, title]);
    await client.query(`update ${schema}.entries set body = body || '{' where seq = 2`);
    expect(await codeOf(Array.fromAsync(store.read('s1')))).toBe('LOG_DAMAGED');
    expect(await codeOf(store.fork('s1', 3, 's2'))).toBe('LOG_DAMAGED');
    await client.query(`delete from ${schema}.entries where seq = 1`);
    expect(await codeOf(store.fork('s1', 3, 's2'))).toBe('LOG_DAMAGED');
  });

  it('lose bytes that two sessions have shared with the second of them', async () => {
    const schema = `s${(stores += 1)}`;
    const store = postgresStore({ client, schema });
    for (const id of ['s1', 's2']) {
      await store.create(id, created);
      await store.putBlob(id, 'abc', new Uint8Array([1]));
    }
    const count = async () => (await client.query(`select 1 from ${schema}.blobs`)).rows.length;

    const counts = [await count()];
    for (const id of ['s1', 's2']) {
      await store.remove(id);
      counts.push(await count());
    }

    expect(counts).toEqual([1, 1, 0]);
  });
});

describe('list()', () => {
  it.each([
    ['all', {}],
    ['idle ones', { state: 'idle' }],
    ['those after a cursor', { cursor: '1:s1' }],
  ] as const)('reads %s in the order of an index, and no session too many', async (_, query) => {
    const [statements, schema] = [[] as [string, unknown[]][], `s${(stores += 1)}`];
    const watched: PostgresClient = {
      query: (text, values = []) => {
        statements.push([text, values]);
        return client.query(text, values);
      },
      transaction: (work) => client.transaction(work),
    };
    await postgresStore({ client: watched, schema }).list(query);
    const [text, values] = statements.at(-1)!;

    // A small table is sorted in any case, unless that counts as dear.
    await client.query('set enable_sort = off');
    const { rows } = await client.query<Record<string, string>>(`explain ${text}`, values);
    await client.query('reset enable_sort');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');

    expect(plan).toContain('Index Scan using sessions_by_time');
    expect(plan).not.toContain('Sort');
  });
});
