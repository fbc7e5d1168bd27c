import { getEventListeners } from 'node:events';
import type { SendPriority } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore, resumeSession, type SendOutcome, type SessionStore } from '../../src/index.ts';
import {
  codeOf,
  only,
  read,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
  shownTo,
  toolNamed,
} from '../support/makers.ts';

const done = () => ({ text: 'Done.' });
const userTexts = (events: Awaited<ReturnType<typeof read>>) =>
  only(events, 'user_message').map(({ content }) => content);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A store that takes and answers messages of `priority` late. */
function takingLate(priority: SendPriority = 'next') {
  const store = memoryStore();
  const taken = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const slow: SessionStore = {
    ...store,
    enqueue: async (sessionId, item) => {
      if (item.priority !== priority) return await store.enqueue(sessionId, item);
      await taken.promise;
      const fresh = await store.enqueue(sessionId, item);
      await told.promise;
      return fresh;
    },
  };
  return { store: slow, take: taken.resolve, tell: told.resolve };
}

/** A store whose next look into the inbox is answered only after `during` was done. */
function lookingSlowly() {
  const store = memoryStore();
  const next: { during?: () => Promise<unknown> } = {};
  const slow: SessionStore = {
    ...store,
    inbox: async (sessionId) => {
      const { during } = next;
      delete next.during;
      const items = await store.inbox(sessionId);
      await during?.();
      return items;
    },
  };
  return { store: slow, next };
}

describe('messages that are sent before the one before has arrived', () => {
  it('are delivered in the order in which they were sent, and the first one starts the run', async () => {
    const { session, model } = await scriptedSession(done);

    const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => session.send(text)));
    await read(session);

    expect(outcomes.map(({ status }) => status)).toEqual(['started', 'queued', 'queued']);
    expect(shownTo(model, 0)).toEqual(['user: a', 'user: b', 'user: c']);
  });

  it('are part of the run that is read right away', async () => {
    const { store, take, tell } = takingLate();
    const { session } = await scriptedSession(done, { store });

    const sending = session.send('a');
    const reading = read(session);
    await nextTurn();
    take();
    tell();

    expect(userTexts(await reading)).toEqual(['a']);
    expect(await sending).toMatchObject({ status: 'started' });
  });
});

describe('a message that the store refuses', () => {
  it('leaves its signal without effect, and the next message starts the run', async () => {
    const { session } = await scriptedSession(done);
    const { signal, abort } = abortable();

    const refused = await codeOf(session.send('x'.repeat(2 * 1024 * 1024), { signal }));
    const { status } = await session.send('a');
    abort();

    expect([refused, status]).toEqual(['ENTRY_TOO_LARGE', 'started']);
    expect(resultOf(await read(session)).subtype).toBe('success');
  });

  it('leaves no listener on its signal in the run under way', async () => {
    const { signal, abort } = abortable();
    const work = toolNamed('work', async () => {
      await codeOf(session.send('x'.repeat(2 * 1024 * 1024), { signal }));
      abort();
    });
    const { session } = await scriptedSession([{ toolCalls: [{ name: 'work' }] }, done()], { tools: [work] });

    const events = await say(session, 'Begin.');

    expect(resultOf(events).subtype).toBe('success');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('a signal says nothing any more once another reader of the session has delivered its message', async () => {
  const store = memoryStore();
  const { session } = await scriptedSession(done, { store });
  const { signal, abort } = abortable();
  await session.send('a', { signal });
  const options = { provider: scriptedProvider(done).provider, model: 'm', allowedTools: [], store };
  const other = await resumeSession({ ...options, sessionId: session.sessionId });
  await read(other);

  await session.send('b');
  abort();

  expect(resultOf(await read(session)).subtype).toBe('success');
});

describe('what send() tells of a message during a run', () => {
  it('is that it joined, also when it was stored while the last look into the inbox was under way', async () => {
    const { store, next } = lookingSlowly();
    const outcomes: SendOutcome[] = [];
    const { session } = await scriptedSession(done, { store });
    await session.send('a');

    const events = [];
    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'usage' && outcomes.length === 0)
        next.during = async () => outcomes.push(await session.send('b'));
    }

    expect(outcomes.map(({ status }) => status)).toEqual(['steered']);
    expect(userTexts(events)).toEqual(['a', 'b']);
  });

  it('is that it joined, when the run ends before its sender is told', async () => {
    const { store, take, tell } = takingLate('now');
    const sends: Promise<SendOutcome>[] = [];
    const work = toolNamed('work', async () => {
      sends.push(session.send('b', { priority: 'now' }));
      take();
      await nextTurn();
    });
    const script = [{ toolCalls: [{ name: 'work' }] }, { toolCalls: [{ name: 'none' }] }];
    const { session } = await scriptedSession(script, { tools: [work], store, maxTurns: 2 });

    const events = await say(session, 'a');
    tell();

    expect([userTexts(events), resultOf(events).subtype]).toEqual([['a', 'b'], 'max_turns']);
    expect((await sends[0])?.status).toBe('steered');
  });

  it('is that it waits, when no run came of stream()', async () => {
    const { store, take, tell } = takingLate();
    const acquired = Promise.withResolvers<void>();
    const busy: SessionStore = { ...store, acquire: () => acquired.promise.then(() => undefined) };
    const { session } = await scriptedSession(done, { store: busy });
    const reading = codeOf(read(session));
    await nextTurn();

    const sending = session.send('a');
    acquired.resolve();
    const code = await reading;
    take();
    tell();

    expect([code, (await sending).status]).toEqual(['SESSION_BUSY', 'queued']);
  });
});

describe('a message of priority now', () => {
  it('that is part of what the run starts with does not interrupt it', async () => {
    const { store, take, tell } = takingLate('now');
    const asked = Promise.withResolvers<void>();
    const slow: SessionStore = {
      ...store,
      acquire: async (...values) => {
        await asked.promise;
        return await store.acquire(...values);
      },
    };
    const { session } = await scriptedSession([{ text: ['a', 'b'] }], { store: slow, maxTurns: 1 });
    await session.send('a');
    const stream = session.stream();
    const first = stream.next();
    await nextTurn();

    const sending = session.send('b', { priority: 'now' });
    take();
    await nextTurn();
    asked.resolve();
    await first;
    const events = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === 'content') tell();
      if (event.type === 'content') await sending;
    }

    expect(userTexts(events)).toEqual(['a', 'b']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'ab' });
  });

  it('stays urgent when it comes too late for the look that took another one', async () => {
    const { store, next } = lookingSlowly();
    const work = toolNamed('work', async () => {
      await session.send('b', { priority: 'now' });
      next.during = () => session.send('c', { priority: 'now' });
    });
    const script = [{ toolCalls: [{ name: 'work' }] }, done()];
    const { session, model } = await scriptedSession(script, { tools: [work], store });

    const events = await say(session, 'a');

    expect(resultOf(events).subtype).toBe('success');
    expect(shownTo(model, 1)).toEqual(['user: a', 'assistant: ', 'tool: ', 'user: b', 'user: c']);
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
