import { getEventListeners } from 'node:events';
import { noUsage, SessionError, type StreamMessage } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  localEngine,
  memoryStore,
  type RunEngine,
  type ServeSessionsOptions,
  type SessionStore,
  serveSessions,
} from '../src/index.ts';
import { bodiesOf, codeOf, scriptedProvider, toolNamed } from './makers.ts';
import { abandoned, expiring, finishedIn } from './resumed.ts';

const answering: Script = ({ messages }) => ({ text: `Answer ${messages.length}.` });

/** A store with its engine and somebody who serves; `idle` resolves when nothing was asked for any more. */
async function served(store: SessionStore, options: Partial<ServeSessionsOptions> = {}, script: Script = answering) {
  const engine = counted(localEngine({ retryDelay: 1, maxRetryDelay: 2 }));
  const { provider, models } = scriptedProvider(script);
  const errors: unknown[] = [];
  const serving = await serveSessions({
    engine,
    store,
    options: () => ({ provider, model: 'm', allowedTools: [] }),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { engine, serving, errors, models, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

/** The engine, and a promise of the moment in which everything that was asked for is done. */
function counted(engine: RunEngine): RunEngine & { idle(): Promise<void>; readonly asked: string[] } {
  const open = new Set<string>();
  const asked: string[] = [];
  let tell = Promise.withResolvers<void>();
  return {
    asked,
    submit: async (sessionId) => {
      asked.push(sessionId);
      open.add(sessionId);
      await engine.submit(sessionId);
    },
    serve: (work) =>
      engine.serve(async (sessionId, signal) => {
        await work(sessionId, signal);
        open.delete(sessionId);
        tell.resolve();
        tell = Promise.withResolvers();
      }),
    async idle() {
      while (open.size > 0) await tell.promise;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

async function newSession(store: SessionStore): Promise<string> {
  const { provider } = scriptedProvider([]);
  const session = await createSession({ provider, model: 'm', store });
  await session.close();
  return session.sessionId;
}

async function sendTo(store: SessionStore, sessionId: string, text: string): Promise<string> {
  const message = { id: crypto.randomUUID(), createdAt: new Date().toISOString(), role: 'user' as const };
  await store.enqueue(sessionId, { message: { ...message, content: [{ type: 'text', text }] }, priority: 'next' });
  return message.id;
}

/** What the log holds, in short. */
async function linesOf(store: SessionStore, sessionId: string): Promise<string[]> {
  return (await bodiesOf(store, sessionId)).flatMap((body) => {
    if (body.type === 'run_ended') return [`ended: ${body.subtype}`];
    if (body.type !== 'record' || body.record.type !== 'message') return [];
    return [body.record.message.role];
  });
}

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

  it('asks at its start for sessions with messages that wait or an unfinished run, and for no others', async () => {
    const { store, sessionId: unfinished } = await abandoned('pure');
    const [waiting, idle] = [await newSession(store), await newSession(store)];
    await sendTo(store, waiting, 'Hello?');

    await using worker = await served(store);
    await worker.engine.idle();

    expect(worker.engine.asked.toSorted()).toEqual([unfinished, waiting].toSorted());
    expect((await linesOf(store, unfinished)).at(-1)).toBe('ended: success');
    expect((await linesOf(store, waiting)).at(-1)).toBe('ended: success');
    expect(await linesOf(store, idle)).toEqual([]);
    const again = await served(store);
    expect(again.engine.asked).toEqual([]);
    await again[Symbol.asyncDispose]();
  });

  it('finds them on every page of a long list, and behind titles at the end of a log', async () => {
    await using store = memoryStore();
    const asked: string[] = [];
    for (let index = 0; index < 230; index++) {
      const sessionId = await newSession(store);
      if (index % 50 !== 0) continue;
      const lease = (await store.acquire(sessionId, 'me', 1000))!;
      const run = { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' } as const;
      const titles = Array.from({ length: 40 }, (_, at) => ({ type: 'title', title: `${at}` }) as const);
      const ended = { type: 'run_ended', runId: 'r', subtype: 'success', usage: noUsage() } as const;
      const large = { type: 'blob', of: 'record', sha256: 'abc' } as const;
      await store.append(sessionId, lease, index === 0 ? [run, ended, large] : [run, ...titles]);
      await store.release(lease);
      asked.push(sessionId);
    }

    await using worker = await served(store, { options: () => undefined });

    expect(worker.engine.asked.toSorted()).toEqual(asked.toSorted());
  });

  it('passes over a session that is removed while it looks', async () => {
    const store = memoryStore();
    const [gone, waiting] = [await newSession(store), await newSession(store)];
    await sendTo(store, waiting, 'Hello?');
    const inbox: SessionStore['inbox'] = async (sessionId) => {
      if (sessionId === gone) throw new SessionError('Gone.', { code: 'SESSION_NOT_FOUND' });
      return await store.inbox(sessionId);
    };

    await using worker = await served({ ...store, inbox });
    await worker.engine.idle();

    expect(worker.engine.asked).toEqual([waiting]);
    expect((await linesOf(store, waiting)).at(-1)).toBe('ended: success');
  });

  it('serves the others when the log of one is damaged, and tells it', async () => {
    const store = memoryStore();
    const [damaged, waiting] = [await newSession(store), await newSession(store)];
    await sendTo(store, waiting, 'Hello?');
    const { now: _, ...asynchronous } = store;
    const read: SessionStore['read'] = async function* (sessionId, range) {
      if (sessionId === damaged) throw new SessionError('Damaged.', { code: 'SESSION_CONFLICT' });
      yield* store.read(sessionId, range);
    };
    const told = Promise.withResolvers<unknown[]>();
    const onError = (...args: unknown[]) => told.resolve(args);

    await using worker = await served({ ...asynchronous, read }, { onError });

    expect(await told.promise).toMatchObject([{ code: 'SESSION_CONFLICT' }, damaged]);
    while ((await linesOf(store, waiting)).at(-1) !== 'ended: success') await new Promise((go) => setImmediate(go));
    expect(worker.engine.asked.toSorted()).toEqual([damaged, waiting].toSorted());
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

  it('comes back while the session is run elsewhere', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const lease = (await store.acquire(sessionId, 'other', 60_000))!;
    const busy = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    const starts: string[] = [];
    const { provider } = scriptedProvider(answering);
    const told = async ({ source }: { readonly source: string }) => void starts.push(source);

    await using worker = await served(store, {
      options: () => ({ provider, model: 'm', hooks: { SessionStart: [{ hooks: [told] }] } }),
      onError: (error) => {
        errors.push(error);
        if (errors.length === 5) busy.resolve();
      },
    });
    await busy.promise;
    await store.release(lease);
    await worker.engine.idle();

    expect(errors[0]).toMatchObject({ code: 'SESSION_BUSY' });
    expect(starts).toEqual(['resume', 'resume']); // the first time, and when it is free
    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']);
  });

  it('is done when another owner has taken the session over and finished the run', async () => {
    const store = expiring(memoryStore());
    const sessionId = await newSession(store);
    let attempts = 0;
    const options = () => ({ provider, model: 'm', tools: [losing] });
    const losing = toolNamed(
      'losing',
      async () => {
        if (++attempts > 1) return 'done elsewhere';
        await using elsewhere = await served(store, { options });
        await elsewhere.engine.idle();
        return 'too late';
      },
      { kind: 'readonly' },
    );
    const { provider } = scriptedProvider(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { toolCalls: [{ id: 'l', name: 'losing' }] } : { text: 'Done.' },
    );
    await using worker = await served(store, { options });
    await sendTo(store, sessionId, 'Hello?');

    await worker.engine.submit(sessionId);
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'assistant', 'ended: success']);
    expect(finishedIn(await bodiesOf(store, sessionId))).toMatchObject([{ result: { output: 'done elsewhere' } }]);
    expect(worker.errors).toEqual([]);
  });

  it('takes a run that ends with an error for a finished one', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const failing: Script = () => ({ error: new Error('The service says no.') });

    await using worker = await served(store, {}, failing);
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual(['user', 'ended: error']);
    expect(worker.errors).toEqual([]);
    expect(worker.models[0]?.requests).toHaveLength(1);
  });

  it('comes back for messages that a run has left which failed before it took them', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const { provider } = scriptedProvider(answering);
    let attempts = 0;
    const beforeAgent = () => {
      if (++attempts < 3) throw new Error('not yet');
    };

    await using worker = await served(store, {
      options: () => ({ provider, model: 'm', handlers: [{ name: 'late', beforeAgent }] }),
    });
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual([
      'ended: error',
      'ended: error',
      'user',
      'assistant',
      'ended: success',
    ]);
  });

  it('goes on with the run when the store has failed in the middle of it', async () => {
    const store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    let appends = 0;
    const append: SessionStore['append'] = async (...args) => {
      if (++appends === 3) throw new Error('The disk is full.');
      return await store.append(...args);
    };

    await using worker = await served({ ...store, append });
    await worker.engine.idle();

    expect(await linesOf(store, sessionId)).toEqual(['user', 'assistant', 'ended: success']);
    expect(worker.errors).toMatchObject([{ code: 'RUN_UNFINISHED', message: expect.stringContaining('disk is full') }]);
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

  it('brings sessions back until their options can be made', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const { provider } = scriptedProvider(answering);
    let attempts = 0;

    await using worker = await served(store, {
      options: () => {
        if (++attempts === 1) throw new Error('no key yet');
        if (attempts === 2) return { provider, model: 'm', store } as never;
        return { provider, model: 'm' };
      },
    });
    await worker.engine.idle();

    expect(worker.errors).toMatchObject([{ message: 'no key yet' }, { code: 'VALIDATION_ERROR', field: 'store' }]);
    expect((await linesOf(store, sessionId)).at(-1)).toBe('ended: success');
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
