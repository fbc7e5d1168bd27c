import { describe, expect, it } from 'vitest';
import { redisError } from './redis-error.ts';

/** An error of ioredis for a reply of the server. */
const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const ofNode = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

describe('redisError', () => {
  it.each<[string, unknown, string, boolean]>([
    ['a server that is away', ofNode('ECONNREFUSED'), '(ECONNREFUSED): connect ECONNREFUSED. Start the server', true],
    ['an address', ofNode('ENOTFOUND'), 'Correct the address of the server', false],
    ['a missing password', reply('NOAUTH Authentication required.'), '(NOAUTH)', false],
    ['a wrong password', reply('WRONGPASS invalid pair'), 'Correct the user or the password', false],
    ['a full server', reply('OOM command not allowed'), 'Raise maxmemory', true],
    ['a replica', reply('READONLY You can not write'), 'name the primary', true],
    ['a connection that was lost', new Error('Connection is closed.'), 'BullMQ: Connection is closed.', true],
    ['what BullMQ refuses', new Error('BullMQ: no prefixes'), 'BullMQ: no prefixes', false],
    ['an old server', new Error('Redis version needs to be 5'), 'Redis version needs', false],
    ['a reply without a word', reply('odd'), 'odd', true],
    ['no error at all', undefined, 'could not use BullMQ', true],
  ])('says of %s what to do, and whether it may pass', (_, cause, message, isPassing) => {
    const error = redisError(cause);

    expect(error).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringContaining(message) });
    expect(Object.hasOwn(error as object, 'retryable') && (error as { retryable?: unknown }).retryable).toBe(isPassing);
  });
});
