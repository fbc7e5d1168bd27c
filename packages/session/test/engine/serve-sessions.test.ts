import { getEventListeners } from 'node:events';
import type { StreamMessage } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { serveOpened } from '../../src/engine/serve-sessions.ts';
import { localEngine, memoryStore, type RunEngine, type SessionStore, serveSessions } from '../../src/index.ts';
import { bodiesOf, codeOf, scriptedProvider, toolNamed } from '../support/makers.ts';
import { finishedIn } from '../support/resumed.ts';
import { answering, linesOf, newSession, sendTo, served } from '../support/served.ts';

describe('serveSessions()', () => {
  it('answers what was sent, by the id of the session alone', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    const events: StreamMessage[] = [];
    const seen = (event: StreamMessage, of: string) => void (of === sessionId && events.push(event));
    await using worker = await served(store, { onEvent: seen });

    await sendTo(store, sessionId, 'Hello?');
    await worker.engine.submit(sessionId);
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']);
    expect(await store.inbox(sessionId)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'success', content: 'Answer 1.' });
  });

  it('changes nothing for an ask that comes twice, late, or for a session that is gone', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await using worker = await served(store);
    await sendTo(store, sessionId, 'Hello?');
    await worker.engine.submit(sessionId);
    await worker.engine.idle();
    const before = await bodiesOf(store, sessionId);

    for (const id of [sessionId, sessionId, 'gone']) {
      await worker.engine.submit(id);
      await worker.engine.idle();
    }

    expect(await bodiesOf(store, sessionId)).toEqual(before);
    expect(worker.errors).toEqual([]);
  });

  it('opens no session for an ask that comes before a message, or late: its start hooks would run, and its lease be held', async () => {
    const epochs: number[] = [];
    await using store = memoryStore();
    const sessionId = await newSession(store);
    const acquire = store.acquire.bind(store);
    store.acquire = async (...lease) => {
      const taken = await acquire(...lease);
      epochs.push(taken?.epoch ?? -1);
      return taken;
    };
    await using worker = await served(store);
    const asks = async () => {
      await worker.engine.submit(sessionId);
      await worker.engine.idle();
      return epochs.length;
    };

    expect(await asks()).toBe(0);
    await sendTo(store, sessionId, 'Hello?');
    expect(await asks()).toBe(1);
    expect(await asks()).toBe(1);
  });

  it('says when an ask has nothing to do, for those who count what is asked and done', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    const { provider } = scriptedProvider(answering);
    const told: string[] = [];
    const ended = Promise.withResolvers<void>();
    await using engine = localEngine();
    const onAsk = (id: string) => {
      told.push(`asked ${id}`);
      return () => {
        told.push(`done ${id}`);
        ended.resolve();
      };
    };
    await using _serving = await serveOpened({ engine, store, options: () => ({ provider, model: 'm' }), onAsk });

    await engine.submit(sessionId);
    await ended.promise;

    expect(told).toEqual([`asked ${sessionId}`, `done ${sessionId}`]);
  });

  it('closes each session it has resumed, and leaves nothing on the signal', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const { provider } = scriptedProvider(answering);
    const { signal } = new AbortController();
    const ended: string[] = [];
    const hooks = { SessionEnd: [{ hooks: [async () => (ended.push('ended'), {})] }] };
    const calling: RunEngine = {
      submit: async () => undefined,
      serve: async (work) => {
        await work(sessionId, signal);
        return { [Symbol.asyncDispose]: async () => undefined };
      },
      [Symbol.asyncDispose]: async () => undefined,
    };

    await serveSessions({ engine: calling, store, options: () => ({ provider, model: 'm', hooks }) });

    expect(ended).toEqual(['ended']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('leaves a session alone for which there are no options', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');

    await using worker = await served(store, { options: async () => undefined });
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual([]);
    expect(await store.inbox(sessionId)).toHaveLength(1);
  });

  it('leaves a run where it is when it is disposed of; the next one goes on with it and repeats no effect', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const started = Promise.withResolvers<void>();
    const keys: string[] = [];
    const pay = toolNamed('pay', async (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      started.resolve();
      return await new Promise<string>(() => undefined);
    });
    const script: Script = ({ messages }) =>
      messages.at(-1)?.role === 'user' ? { toolCalls: [{ id: 'p', name: 'pay' }] } : { text: 'Done.' };
    const { provider } = scriptedProvider(script);
    const events: string[] = [];
    const options = () => ({ provider, model: 'm', tools: [pay], permissionMode: 'bypassPermissions' as const });
    const onEvent = (event: StreamMessage) => void events.push(event.type);

    const first = await served(store, { options, onEvent });
    await started.promise;
    await first.serving[Symbol.asyncDispose]();
    const left = await linesOf(store, sessionId);
    const told = [...events];
    await first[Symbol.asyncDispose]();
    await using next = await served(store, { options });
    await next.engine.idle();

    expect(left).toEqual(['user', 'assistant']);
    expect(told).not.toContain('result');
    expect(first.errors).toEqual([]);
    expect(keys).toEqual([`${sessionId}:p`]);
    expect(finishedIn(await bodiesOf(store, sessionId))).toMatchObject([{ result: { interrupted: 'unknown' } }]);
    expect((await linesOf(store, sessionId)).at(-1)).toBe('ended: success');
  });

  it('leaves it to another who serves the same engine', async () => {
    await using store = memoryStore();
    await using engine = localEngine();
    const sessionId = await newSession(store);
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hanging = scriptedProvider(() => ({ text: 'I think', hangs: true })).provider;
    const { provider } = scriptedProvider(answering);
    const first = await serveSessions({
      engine,
      store,
      options: () => ({ provider: hanging, model: 'm' }),
      onEvent: ({ type }) => (type === 'content' ? started.resolve() : undefined),
    });
    await serveSessions({
      engine,
      store,
      options: () => ({ provider, model: 'm' }),
      onEvent: ({ type }) => (type === 'result' ? ended.resolve() : undefined),
    });
    await sendTo(store, sessionId, 'Hello?');
    await engine.submit(sessionId);
    await started.promise;

    await first[Symbol.asyncDispose]();
    await ended.promise;

    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']);
  });

  it('goes on when an observer throws, and tells it', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const fault = new Error('no eyes');

    await using worker = await served(store, { onEvent: () => Promise.reject(fault) });
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']);
    expect(new Set(worker.errors)).toEqual(new Set([fault]));
  });

  it('serves a store that is an instance of a class with private fields', async () => {
    const store = strict(memoryStore());
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');

    await using worker = await served(store);
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']);
  });

  it('serves nobody when the sweep fails, and refuses what it cannot honour', async () => {
    await using engine = localEngine();
    const store = memoryStore();
    const options = () => undefined;
    const list = () => Promise.reject(new Error('no list'));

    const called: string[] = [];
    const failing = { engine, store: { ...store, list }, options: (sessionId: string) => void called.push(sessionId) };
    await expect(serveSessions(failing as never)).rejects.toThrow('no list');
    await engine.submit('one');
    await new Promise((resolve) => setImmediate(resolve));
    expect(called).toEqual([]);

    const codes = [
      await codeOf(serveSessions({ engine, store, options, onerror: options } as never)),
      await codeOf(serveSessions({ engine: {} as never, store, options })),
      await codeOf(serveSessions({ engine, store: {} as never, options })),
      await codeOf(serveSessions({ engine, store, options: undefined as never })),
      await codeOf(serveSessions({ engine, store, options, onEvent: 'log' as never })),
    ];

    expect(codes).toEqual(Array.from({ length: 5 }, () => 'VALIDATION_ERROR'));
  });
});

/** The store, whose methods work on itself only, as those of a class with private fields do. */
function strict(store: SessionStore): SessionStore {
  const same: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(store)) {
    if (typeof method !== 'function') {
      same[name] = method;
      continue;
    }
    same[name] = function (this: unknown, ...args: unknown[]): unknown {
      if (this !== same) throw new TypeError(`${name} is called on something else`);
      return Reflect.apply(method as () => unknown, store, args);
    };
  }
  return same as unknown as SessionStore;
}
