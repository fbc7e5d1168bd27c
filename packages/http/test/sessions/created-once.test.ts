import { memoryStore, type SessionStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { clientHost, refusal } from '../support/client-host.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { resultOf } from '../support/followed.ts';
import { BEN, hosted, profileOf } from '../support/hosted.ts';

const KEY = { 'idempotency-key': 'order-7' };
const BODY = { title: 'Lamps', metadata: { a: 'b', c: 'd' }, message: 'One.' };
const create = async (host: Awaited<ReturnType<typeof hosted>>, body: object = BODY, headers = {}) =>
  await host.ask('POST', '/v1/sessions', body, { ...KEY, ...headers });
const all = async (store: SessionStore) => (await store.list()).sessions;

/** A store in memory whose method fails once, as if the process had ended there. */
function failingAt(method: 'append' | 'enqueue'): SessionStore {
  const store = memoryStore();
  let isBroken = false;
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== method || isBroken) return value.bind(target);
      return async () => {
        isBroken = true;
        throw new Error('killed');
      };
    },
  });
}

describe('POST /v1/sessions with an Idempotency-Key', () => {
  it('makes one session, with its message once, however often it is asked', async () => {
    await using host = await hosted();
    const first = await create(host);
    await resultOf(host, `/v1/sessions/${first.json().sessionId}`);
    const again = await create(host);
    const { messages } = (await host.ask('GET', `${first.headers['location']}/messages`)).json();

    expect([first.statusCode, again.statusCode]).toEqual([201, 201]);
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(again.json()).toMatchObject({ sessionId: first.json().sessionId, title: 'Lamps', metadata: BODY.metadata });
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
    expect(await all(host.store)).toHaveLength(1);
  });

  it('makes two without it (control)', async () => {
    await using host = await hosted();
    await host.made(BODY);
    await host.made(BODY);

    expect(await all(host.store)).toHaveLength(2);
  });

  it('makes one when it is asked eight times at once', async () => {
    await using host = await hosted();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(host)));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map((answer) => answer.json().sessionId)).size).toBe(1);
    expect(await all(host.store)).toHaveLength(1);
  });

  it('takes notes in any order for the same', async () => {
    await using host = await hosted();
    const [first, again] = [await create(host), await create(host, { ...BODY, metadata: { c: 'd', a: 'b' } })];

    expect(again.json().sessionId).toBe(first.json().sessionId);
  });

  it.each([
    ['profile', { profile: 'brief' }],
    ['title', { title: 'Chairs' }],
    ['metadata', { metadata: {} }],
    ['message', { message: 'Two.' }],
  ])('refuses another %s', async (_, change) => {
    await using host = await hosted({ profiles: { chat: profileOf(), brief: profileOf() } });
    await create(host, { profile: 'chat', ...BODY });
    const answer = await create(host, { profile: 'chat', ...BODY, ...change });

    expect([answer.statusCode, answer.json().code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(await all(host.store)).toHaveLength(1);
  });

  it('belongs to the name of its token: the key of somebody else is another', async () => {
    await using host = await hosted();
    const [ann, ben] = [await create(host), await create(host, BODY, BEN)];

    expect(ben.statusCode).toBe(201);
    expect(ben.json().sessionId).not.toBe(ann.json().sessionId);
  });

  it.each(['append', 'enqueue'] as const)('goes on with one whose making has stopped at %s', async (method) => {
    await using host = await hosted({ store: failingAt(method) });
    const stopped = await create(host);
    const again = await create(host);
    const path = `/v1/sessions/${again.json().sessionId}`;
    await resultOf(host, path);

    expect([stopped.statusCode, again.statusCode]).toEqual([500, 201]);
    expect((await host.ask('GET', path)).json()).toMatchObject({ title: 'Lamps', metadata: BODY.metadata });
    expect((await host.ask('GET', `${path}/messages`)).json().messages).toHaveLength(2);
    expect(await all(host.store)).toHaveLength(1);
  });

  it('makes a second one there without it (control)', async () => {
    await using host = await hosted({ store: failingAt('enqueue') });
    await host.ask('POST', '/v1/sessions', BODY);
    await host.made(BODY);

    expect(await all(host.store)).toHaveLength(2);
  });

  it('has room for 29 notes, and hides its own', async () => {
    await using host = await hosted();
    const metadata = Object.fromEntries(Array.from({ length: 29 }, (_, index) => [`note-${index}`, 'x']));

    expect((await create(host, { metadata })).json().metadata).toEqual(metadata);
  });

  it.each(['', 'a b', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    await using host = await hosted();
    const answer = await create(host, BODY, { 'idempotency-key': key });

    expect([answer.statusCode, answer.json().code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('sessions.create of the typed client', () => {
  it('repeats by itself, and makes one', async () => {
    await using host = await clientHost({}, { allowedHosts: ['127.0.0.1'] });
    await using proxy = await cuttingProxy();
    proxy.target = host.server.port;
    proxy.cuts = [1, 30, 200]; // the server has made it each time
    const client = host.clientWith({ baseUrl: `http://127.0.0.1:${proxy.port}` });

    const { sessionId } = await client.sessions.create({ message: 'One.' });

    expect(proxy.count).toBe(4);
    expect((await all(host.store)).map((one) => one.sessionId)).toEqual([sessionId]);
  });

  it('takes a key, and tells a conflict', async () => {
    await using host = await clientHost();
    const { sessions } = host.client;
    const [one, again] = [
      await sessions.create({ idempotencyKey: 'k', title: 'One' }),
      await sessions.create({ idempotencyKey: 'k', title: 'One' }),
    ];

    expect(again.sessionId).toBe(one.sessionId);
    expect(await refusal(sessions.create({ idempotencyKey: 'k', title: 'Two' }))).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      statusCode: 409,
    });
  });

  it('ends when the server stays away', async () => {
    await using host = await clientHost();
    let requests = 0;
    const fetch = async () => {
      requests += 1;
      throw new TypeError('gone');
    };

    expect(await refusal(host.clientWith({ fetch }).sessions.create())).toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(requests).toBe(5);
  });
});
