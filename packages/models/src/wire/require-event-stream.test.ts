import { describe, expect, it } from 'vitest';
import { ask } from '../../test/chat-over-http.ts';
import { wireServer } from '../testing/index.ts';

describe('an answer that is no event stream', () => {
  it.each([
    [
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      { retryable: false, message: expect.stringContaining('text/html') },
    ],
    [
      { headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"no such model"}}' },
      { message: expect.stringContaining('no such model') },
    ],
    [
      { headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, body: 'x' },
      { retryable: false, message: expect.stringContaining('gzip') },
    ],
    [{ body: '' }, { retryable: true }],
    [{ body: '\u0000\u0001 noise' }, { retryable: true }],
  ])('%j fails with a typed error', async (script, facts) => {
    await using server = await wireServer(script);

    await expect(ask(server)).rejects.toMatchObject({ name: 'ModelError', ...facts });
  });

  it('fails when nobody listens', async () => {
    const { url, close } = await wireServer({});
    await close();

    await expect(ask({ url })).rejects.toMatchObject({ name: 'ModelError', retryable: true });
  });
});
