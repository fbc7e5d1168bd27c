import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, memoryStore, sqliteStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { createApp, createServer } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { documentOf } from '../support/contract.ts';
import { resultOf } from '../support/followed.ts';
import { ANN, BEN, counting, hosted, profileOf, scripted, TOKENS } from '../support/hosted.ts';
import { routesOfOne } from '../support/session-requests.ts';

/** Streams never end by themselves: their status is known before. */
async function statusOf(app: ReturnType<typeof createApp>, method: string, url: string, body?: object, headers = ANN) {
  const answer = await app.request(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  if (isStream) await answer.body?.cancel();
  return [answer.status, isStream || answer.status === 204 ? '' : ((await answer.json()) as { code?: string }).code];
}

async function apps(store = memoryStore()) {
  const sessions = sessionHost({ profiles: { chat: profileOf() }, store });
  const app = createApp({ tokens: TOKENS, sessions });
  const made = async (headers: Record<string, string>) => {
    const answer = await app.request('/v1/sessions', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    });
    return `/v1/sessions/${((await answer.json()) as { sessionId: string }).sessionId}`;
  };
  return { app, made, sessions };
}

describe('a session belongs to the name of its token', () => {
  it('Q38 H48 has all routes of one session in this matrix', async () => {
    await using host = await hosted();
    const { paths } = await documentOf(host.server, ANN);
    const documented = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v1/sessions/{id}'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/v1/sessions/{id}'.length)}`),
      );

    expect(routesOfOne.map(([method, path]) => `${method} ${path}`).toSorted()).toEqual(documented.toSorted());
  });

  it.each(routesOfOne)(
    'Q38 answers %s %s of another name with 404, as for one that is not there',
    async (method, path, body) => {
      const { app, made, sessions } = await apps();
      const own = await made(ANN);

      const others = await statusOf(app, method, own + path, body, BEN);
      const missing = await statusOf(app, method, `/v1/sessions/nobody${path}`, body);
      const control = await statusOf(app, method, own + path, body);
      await sessions.close();

      expect([others, missing]).toEqual(Array(2).fill([404, 'SESSION_NOT_FOUND']));
      expect(control).not.toContain('SESSION_NOT_FOUND');
    },
  );

  it('Q38 is in the list of its owner alone, and a fork too', async () => {
    await using host = await hosted();
    const path = await host.made({ message: 'One.' });
    await resultOf(host, path);
    const fork = (await host.ask('POST', `${path}/fork`, {})).json().sessionId;
    const idsOf = async (headers: Record<string, string>) =>
      (await host.ask('GET', '/v1/sessions', undefined, headers))
        .json()
        .sessions.map(({ sessionId }: { sessionId: string }) => sessionId);

    expect(new Set(await idsOf(ANN))).toEqual(new Set([fork, path.split('/').at(-1)]));
    expect(await idsOf(BEN)).toEqual([]);
    expect((await host.ask('GET', `/v1/sessions/${fork}`, undefined, BEN)).statusCode).toBe(404);
  });

  it('H48 stays with the name when the token is renewed, and over a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'http-owner-'));
    const path = join(folder, 'sessions.db');
    const first = sqliteStore({ path });
    const host = await hosted({ store: first });
    const session = await host.made();
    await host.server.close();
    await first[Symbol.asyncDispose]();

    const second = sqliteStore({ path });
    const sessions = sessionHost({ profiles: { chat: profileOf() }, store: second });
    const renewed = [TOKENS[1]!, { name: 'ann', token: 'renewed' }];
    const server = await createServer({ tokens: renewed, sessions });
    const statusWith = async (headers: Record<string, string>) =>
      (await server.inject({ method: 'GET', url: session, headers })).statusCode;

    expect(await statusWith({ authorization: 'Bearer renewed' })).toBe(200);
    expect(await statusWith(BEN)).toBe(404);
    expect(await statusWith(ANN)).toBe(401);
    await server.close();
    await second[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('is nobody’s when it was not made here, and is left alone by the host', async () => {
    const store = memoryStore();
    const strange = await createSession({ provider: scripted(counting), model: 'm', store, allowedTools: [] });
    await strange.send('Hello.');
    await strange.close();
    await using host = await hosted({ store });
    const path = await host.made({ message: 'One.' });
    await resultOf(host, path);

    expect((await host.ask('GET', `/v1/sessions/${strange.sessionId}`)).statusCode).toBe(404);
    expect(await store.inbox(strange.sessionId)).toHaveLength(1);
  });

  it('is not given away by a store that does not know the conditions', async () => {
    const sound = memoryStore();
    const store = {
      ...sound,
      list: ({ sessionId: _, metadata: __, ...query }: Parameters<typeof sound.list>[0] & object = {}) =>
        sound.list(query),
    };
    await using host = await hosted({ store });
    const path = await host.made();

    expect((await host.ask('GET', path, undefined, BEN)).statusCode).toBe(404);
    expect((await host.ask('GET', '/v1/sessions/nobody')).statusCode).toBe(404);
    expect((await host.ask('GET', '/v1/sessions', undefined, BEN)).json()).toEqual({ sessions: [] });
    expect((await host.ask('GET', path)).statusCode).toBe(200);
  });
});

describe('the guards', () => {
  it.each(routesOfOne)('H30 stand before %s %s: token, Host, Origin, type, size', async (method, path, body) => {
    const { app, made, sessions } = await apps();
    const url = (await made(ANN)) + path;
    const answered = async (headers: Record<string, string>) =>
      (await statusOf(app, method, url, body, headers as never))[0];
    const raw = async (headers: Record<string, string>) =>
      (await app.request(url, { method, headers: { ...ANN, ...headers }, ...(body ? { body: '{}' } : {}) })).status;

    expect(await answered({})).toBe(401);
    expect(await answered({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await answered({ ...ANN, host: 'evil.example' })).toBe(403);
    expect(await answered({ ...ANN, origin: 'https://evil.example' })).toBe(403);
    expect(await raw({ 'content-length': '9999999' })).toBe(413);
    expect(body ? await raw({ 'content-type': 'text/plain' }) : 415).toBe(415);
    await sessions.close();
  });

  it.each([
    '..%2f..%2fetc%2fpasswd',
    '..%5c..%5cwindows',
    'a%00b',
    'a%0d%0ab',
    '%2e%2e%2f',
    'a.b',
    'a%20b',
    '%zz',
    'ä',
    'x'.repeat(129),
  ])('ZH09 ZH01f refuse the id %s on every route, before any use', async (id) => {
    const used: unknown[] = [];
    const sound = memoryStore();
    const store = new Proxy(sound, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        return typeof value !== 'function'
          ? value
          : (...given: unknown[]) => {
              used.push(key);
              return (value as (...all: unknown[]) => unknown).apply(target, given);
            };
      },
    });
    const { app, sessions } = await apps(store);

    for (const [method, path, body] of routesOfOne)
      expect([method, path, ...(await statusOf(app, method, `/v1/sessions/${id}${path}`, body))]).toEqual([
        method,
        path,
        400,
        'VALIDATION_ERROR',
      ]);
    expect(used).toEqual([]);
    expect(await statusOf(app, 'GET', '/v1/sessions/nobody')).toEqual([404, 'SESSION_NOT_FOUND']); // control
    expect(used).toEqual(['list']);
    await sessions.close();
  });

  it('H48 sessions need a token: createApp and createServer refuse to be without', async () => {
    const sessions = sessionHost({ profiles: { chat: profileOf() }, store: memoryStore() });

    expect(() => createApp({ sessions })).toThrow('token is required with sessions');
    await expect(createServer({ sessions })).rejects.toMatchObject({ name: 'ValidationError', field: 'token' });
  });
});
