import { SessionError } from '@x/core';
import { noUsage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore } from '../../src/index.ts';
import { abandoned } from '../support/resumed.ts';
import { linesOf, newSession, sendTo, served } from '../support/served.ts';

describe('serveSessions()', () => {
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
      const ended = { type: 'run_ended', runId: 'r', subtype: 'aborted', usage: noUsage() } as const;
      const large = { type: 'blob', of: 'record', sha256: 'abc' } as const;
      await store.append(sessionId, lease, index === 0 ? [run, ended, large] : [run, ...titles]);
      await store.release(lease);
      asked.push(sessionId);
    }

    await using worker = await served(store, { options: () => undefined });
    // Runs that a crash may have left are asked for one after another.
    while (worker.engine.asked.length < asked.length) await new Promise((go) => setImmediate(go));

    expect(worker.engine.asked.toSorted()).toEqual(asked.toSorted());
  });

  it('reads no log of a session whose last run has ended with a reply', async () => {
    const store = memoryStore();
    const [atRest, left] = [await newSession(store), await newSession(store)];
    await sendTo(store, atRest, 'Hello?');
    await using first = await served(store);
    await first.engine.idle();
    const looked: string[] = [];
    const { now: _, ...asynchronous } = store;
    const read: SessionStore['read'] = (sessionId, range) => {
      looked.push(sessionId);
      return store.read(sessionId, range);
    };

    await using _again = await served({ ...asynchronous, read });

    expect(looked).toEqual([left]);
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

  it.each(['LOG_DAMAGED', 'LOG_TOO_NEW'] as const)('serves the others when one is %s, and tells it', async (code) => {
    const store = memoryStore();
    const [unreadable, waiting] = [await newSession(store), await newSession(store)];
    await sendTo(store, waiting, 'Hello?');
    const { now: _, ...asynchronous } = store;
    const read: SessionStore['read'] = async function* (sessionId, range) {
      if (sessionId === unreadable) throw new SessionError('Unreadable.', { code });
      yield* store.read(sessionId, range);
    };
    const told = Promise.withResolvers<unknown[]>();
    const onError = (...args: unknown[]) => told.resolve(args);

    await using worker = await served({ ...asynchronous, read }, { onError });

    expect(await told.promise).toMatchObject([{ code }, unreadable]);
    while ((await linesOf(store, waiting)).at(-1) !== 'ended: success') await new Promise((go) => setImmediate(go));
    expect(worker.engine.asked.toSorted()).toEqual([unreadable, waiting].toSorted());
  });
});
