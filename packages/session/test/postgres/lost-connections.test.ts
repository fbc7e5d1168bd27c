import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PostgresPool, type PostgresPoolClient, postgresStore } from '../../src/postgres/index.ts';
import { codeOf } from '../support/makers.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

interface Connection extends PostgresPoolClient {
  readonly texts: string[];
  readonly timeouts: Set<unknown>;
  readonly released: boolean[];
}

/** A connection to a server that has the tables and no session. `fails`: the error of statements with this text. */
function connection(fails: { text?: string; error?: Error } = {}): Connection {
  const [texts, timeouts, released]: [string[], Set<unknown>, boolean[]] = [[], new Set(), []];
  return {
    texts,
    timeouts,
    released,
    async query({ text, query_timeout }) {
      texts.push(text);
      timeouts.add(query_timeout);
      if (fails.text !== undefined && text.includes(fails.text)) throw fails.error;
      if (text.includes('pg_tables')) return { rows: [{}] };
      return { rows: text.includes('major') ? [{ major: 1, minor: 0 }] : [] };
    },
    release: (isClosed = false) => void released.push(isClosed),
    on: () => undefined,
    off: () => undefined,
  };
}

/** Gives these connections, one after the other. */
function poolOf(...connections: readonly Connection[]): PostgresPool {
  const left = [...connections];
  return { connect: async () => left.shift() ?? Promise.reject(new Error('no more')) };
}

const lost = new Error('Connection terminated unexpectedly');

describe('postgresStore behind a network that is cut', () => {
  it('does not wait for ever for a connection of the pool of a host, and gives back one that comes late', async () => {
    const { promise, resolve } = Promise.withResolvers<PostgresPoolClient>();
    const late = connection();
    const listed = postgresStore({ pool: { connect: () => promise } }).list();
    const refusal = listed.catch((error: unknown) => error);

    await vi.advanceTimersByTimeAsync(15_000);
    const refused = await refusal;
    resolve(late);
    await vi.advanceTimersByTimeAsync(0);

    expect(refused).toMatchObject({ code: 'STORE_FAILED', retryable: true });
    expect([late.released, late.texts]).toEqual([[false], []]);
  });

  it('bounds each statement, whatever the pool of the host does', async () => {
    const [one, other, third] = [connection(), connection(), connection()];
    await postgresStore({ pool: poolOf(one, other, third) }).list();

    expect([one, other, third].map(({ timeouts }) => [...timeouts])).toEqual([[15_000], [15_000], [15_000]]);
  });

  it.each([
    ['lost', lost, ['begin', true]],
    ['refused', Object.assign(new Error('no'), { severity: 'ERROR' }), ['rollback', false]],
  ])('ends a transaction whose statement is %s', async (_what, error, [last, isClosed]) => {
    const used = connection({ text: 'for update', error });
    const store = postgresStore({ pool: poolOf(connection(), connection(), used) });

    await expect(store.remove('s1')).rejects.toMatchObject({ code: 'STORE_FAILED' });

    const ends = used.texts.filter((text) => /^(?:begin|commit|rollback)/.test(text));
    expect([ends.at(-1), used.released.at(-1)]).toEqual([last, isClosed]);
    expect(used.texts[1]).toBe('set local idle_in_transaction_session_timeout = 15000');
  });

  it.each([
    ['closes connections unused that have not answered since one was lost', lost, true],
    ['keeps them after a statement that was refused', Object.assign(new Error('no'), { severity: 'ERROR' }), false],
  ])('%s', async (_what, error, isClosed) => {
    const fails: { text?: string; error: Error } = { error };
    const [first, old, fresh] = [connection(fails), connection(), connection()];
    const store = postgresStore({ pool: poolOf(first, old, first, first, old, fresh) });
    await store.list(); // two looks at the version, and the list
    await vi.advanceTimersByTimeAsync(1_000);
    fails.text = 'order by session.updated_at';
    await codeOf(store.list());

    await store.list();

    expect([old.released.at(-1), fresh.texts.length]).toEqual(isClosed ? [true, 1] : [false, 0]);
  });
});
