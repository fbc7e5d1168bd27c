import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore } from '../../src/index.ts';
import { bodiesOf, scriptedProvider, toolNamed } from '../support/makers.ts';
import { expiring, finishedIn } from '../support/resumed.ts';
import { answering, linesOf, newSession, sendTo, served } from '../support/served.ts';

describe('serveSessions()', () => {
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

  it('brings sessions back until their options can be made', async () => {
    await using store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Hello?');
    const { provider } = scriptedProvider(answering);
    let attempts = 0;

    await using worker = await served(store, {
      options: () => {
        if (++attempts === 1) throw new Error('no key yet');
        return { provider, model: 'm' };
      },
    });
    await worker.engine.idle();

    expect(worker.errors).toMatchObject([{ message: 'no key yet' }]);
    expect((await linesOf(store, sessionId)).at(-1)).toBe('ended: success');
  });
});
