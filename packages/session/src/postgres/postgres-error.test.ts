import { AgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { type PostgresClient, type PostgresPool, postgresStore } from './index.ts';
import { postgresError } from './postgres-error.ts';

/** An error of the server, or of Node, with this code. */
function failure(code: string, message = 'It failed'): Error {
  return Object.assign(new Error(message), { code });
}

describe('postgresError', () => {
  it.each([
    ['ECONNREFUSED', true, 'Start the server, or correct its address'],
    ['ENOTFOUND', undefined, 'Correct the address of the server'],
    ['28P01', undefined, 'Correct the user or the password'],
    ['3D000', undefined, 'Create the database'],
    ['42501', undefined, 'Give this user the right'],
    ['25006', undefined, 'name the primary'],
    ['53300', true, 'Lower the option connections'],
    ['53100', true, 'Free some space'],
    ['57P03', true, 'The server is starting'],
    ['42P01', undefined, 'migrate: true'],
    ['40P01', true, ''],
    ['57P01', true, ''],
  ])('says of %s whether it may pass, and what to do', (code, retryable, advice) => {
    const error = postgresError(failure(code), 'repeatable') as AgentError;

    expect(error).toMatchObject({ code: 'STORE_FAILED', statusCode: 503 });
    expect([error.retryable, error.message.endsWith('. ')]).toEqual([retryable, false]);
    expect(error.message).toContain(advice);
    expect(error.message).toContain(code);
  });

  it.each([
    ['read', '57P02', true, 'It failed.'],
    ['repeatable', '57P02', true, 'the same call once more finds out'],
    ['once', '57P02', undefined, 'look before trying again'],
    ['once', '40001', true, 'Nothing of it was recorded'],
    ['once', '08P01', undefined, 'look before trying again'],
  ] as const)('says of a call that is %s and ends with %s what has been recorded', (kind, code, retryable, text) => {
    const error = postgresError(failure(code), kind) as AgentError;

    expect([error.retryable, error.message.includes(text)]).toEqual([retryable, true]);
  });

  it('names the option for a pooler that knows no prepared statements', () => {
    const error = postgresError(failure('26000', 'prepared statement "a" does not exist'), 'read');

    expect(error).toMatchObject({ message: expect.stringContaining('prepared: false') });
  });

  it('leaves our own errors, and takes whatever a driver may throw', () => {
    const own = new AgentError('Ours', { code: 'STORE_FAILED' });

    expect(postgresError(own, 'once')).toBe(own);
    expect(postgresError(undefined, 'read')).toMatchObject({ code: 'STORE_FAILED', retryable: true });
  });
});

const client: PostgresClient = {
  query: async () => ({ rows: [] }),
  transaction: () => Promise.reject(failure('57P01')),
};
const noPool: PostgresPool = { connect: () => Promise.reject(failure('57P01')) };

describe('postgresStore', () => {
  it.each([
    [{}, 'exactly one of connectionString, pool and client'],
    [{ connectionString: 'postgres://h/d', client }, 'exactly one of'],
    [{ pool: noPool, connections: 3 }, 'connections goes with connectionString'],
    [{ client, prepared: true }, 'prepared goes without client'],
    [{ connectionString: 'postgres://h/d', schema: 'Bad Name' }, 'schema must be the name of a schema'],
    [{ connectionString: 'postgres://h/d', connections: 0 }, 'connections must be a whole number'],
  ])('refuses options that do not go together: %j', (options, message) => {
    expect(() => postgresStore(options as never)).toThrow(message);
  });

  it('says what to do while there is no server, and tries again with the next use', async () => {
    const store = postgresStore({ connectionString: 'postgres://host@127.0.0.1:9/none' });
    const again = { message: expect.stringContaining('Start the server, or correct its address'), retryable: true };

    await expect(store.list()).rejects.toMatchObject(again);
    await expect(store.list()).rejects.toMatchObject(again);
    await store[Symbol.asyncDispose]();
    await expect(store.list()).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('does not close the pool of the host, and gives up what it has asked when the connection is lost', async () => {
    const released: unknown[] = [];
    const lost = {
      query: () => Promise.reject(failure('57P01')),
      release: (destroy?: boolean) => void released.push(destroy),
      on: () => undefined,
      off: () => undefined,
    };
    let ends = 0;
    const pool: PostgresPool & { end(): void } = { connect: async () => lost, end: () => void (ends += 1) };
    const store = postgresStore({ pool });

    await expect(store.list()).rejects.toMatchObject({ retryable: true });
    await store[Symbol.asyncDispose]();

    expect([released, ends]).toEqual([[true], 0]);
  });
});
