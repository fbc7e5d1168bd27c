import { memoryStore, type SessionStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { appUntil } from '../src/create-app.ts';
import { createServer } from '../src/index.ts';
import { sessionHost } from '../src/sessions/index.ts';
import { hosted, profileOf } from './support/hosted.ts';

const ready = { statusCode: 200, body: '{"status":"ready"}' };

describe('GET /ready', () => {
  it('says yes to everybody while the tools can be called', async () => {
    await using server = await createServer({ token: 'secret' });

    expect(await server.inject({ method: 'GET', url: '/ready' })).toMatchObject(ready);
  });

  it('says no as soon as the server is closing', async () => {
    const closing = new AbortController();
    const app = appUntil({}, closing.signal);
    closing.abort();

    const answer = await app.request('http://127.0.0.1/ready');

    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ success: false, error: 'The server is closing', code: 'NOT_READY' });
  });

  it('says yes with sessions whose store answers', async () => {
    await using host = await hosted();

    expect(await host.server.inject({ method: 'GET', url: '/ready' })).toMatchObject(ready);
  });

  it.each<[string, Partial<SessionStore>]>([
    ['fails', { list: () => Promise.reject(new Error('the password is hunter2')) }],
    ['says nothing', { list: () => new Promise(() => undefined) }],
  ])('says no when the store %s, and yes again later, without a word of why', async (_how, fault) => {
    const store = memoryStore();
    let isFaulty = false;
    const list: SessionStore['list'] = (options) =>
      isFaulty && options?.limit === 1 ? fault.list!(options) : store.list(options);
    await using host = await hosted({ store: { ...store, list } });
    isFaulty = true;

    const refused = await host.server.inject({ method: 'GET', url: '/ready' });
    isFaulty = false;

    expect(refused.statusCode).toBe(503);
    expect(refused.json()).toEqual({
      success: false,
      error: 'The sessions cannot be served now',
      code: 'NOT_READY',
    });
    const later = async () => (await host.server.inject({ method: 'GET', url: '/ready' })).statusCode;
    await expect.poll(later).toBe(200);
  });

  it('asks the store once for all who ask at a time', async () => {
    const store = memoryStore();
    let asked = 0;
    const list: SessionStore['list'] = (options) => {
      if (options?.limit === 1) asked += 1;
      return store.list(options);
    };
    await using host = await hosted({ store: { ...store, list }, lookEveryMs: 60_000 });
    const before = asked;

    await Promise.all(Array.from({ length: 20 }, () => host.server.inject({ method: 'GET', url: '/ready' })));

    expect(asked - before).toBe(1);
  });

  it('says no before the host of the sessions is started', async () => {
    const sessions = sessionHost({ profiles: { chat: profileOf() }, store: memoryStore() });
    const app = appUntil({ token: 'secret', sessions }, new AbortController().signal);

    expect((await app.request('http://127.0.0.1/ready')).status).toBe(503);
    await sessions.close();
  });
});
