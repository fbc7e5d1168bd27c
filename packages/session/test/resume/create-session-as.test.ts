import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import { createSessionAs } from '../../src/internal.ts';

const options = (store: SessionStore, more: Partial<SessionOptions> = {}): SessionOptions => ({
  provider: { type: 'openai-compatible', apiKey: 'k' },
  model: 'm',
  store,
  ...more,
});
const created = { type: 'session_created', format: 1, cwd: '/' } as const;

describe('createSessionAs', () => {
  it('makes a session under the id', async () => {
    const store = memoryStore();
    const session = await createSessionAs('own', options(store, { title: 'Lamps' }));
    await session.close();

    expect((await store.list()).sessions).toMatchObject([{ sessionId: 'own', title: 'Lamps' }]);
  });

  it.each([{}, { title: 'Lamps' }])('refuses an id that has a session, with %j', async (facts) => {
    const store = memoryStore();
    await (await createSessionAs('own', options(store, { title: 'Chairs' }))).close();

    await expect(createSessionAs('own', options(store, facts))).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
      message: 'Session own exists already; resume it, or choose another id',
    });
    expect((await store.list()).sessions).toMatchObject([{ title: 'Chairs' }]);
  });

  it('ends a creation that has stopped before its title was written', async () => {
    const store = memoryStore();
    await store.create('own', created);
    await (await createSessionAs('own', options(store, { title: 'Lamps' }))).close();

    expect((await store.list()).sessions).toMatchObject([{ sessionId: 'own', title: 'Lamps', head: 2 }]);
  });

  it('refuses one that has been taken to be run meanwhile', async () => {
    const store = memoryStore();
    await store.create('own', created);
    await store.acquire('own', 'other', 60_000);

    await expect(createSessionAs('own', options(store, { title: 'Lamps' }))).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
  });

  it('passes other errors of the store on', async () => {
    const store = memoryStore();
    const failing = new Proxy(store, {
      get: (target, name) =>
        name === 'append' ? () => Promise.reject(new Error('disk is full')) : Reflect.get(target, name),
    });

    await expect(createSessionAs('own', options(failing, { title: 'Lamps' }))).rejects.toThrow('disk is full');
  });
});
