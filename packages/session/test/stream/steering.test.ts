import type { AgentHandler, StreamMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore, type SendOutcome, type SessionStore } from '../../src/index.ts';
import {
  echoTool,
  faultsOf,
  only,
  read,
  resultOf,
  say,
  scriptedSession,
  shownTo,
  toolNamed,
} from '../support/makers.ts';

const unsafe = { kind: 'readonly', parallelSafe: false } as const;

describe('send() during a run', () => {
  it('delivers at the next turn boundary, after the tool results (S29)', async () => {
    const outcomes: SendOutcome[] = [];
    const work = toolNamed('work', async () => {
      outcomes.push(await session.send('Faster.'));
      return 'worked';
    });
    const { session, model } = await scriptedSession([{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }], {
      tools: [work],
    });

    const events = await say(session, 'Begin.');

    expect(outcomes).toEqual([{ status: 'steered', messageId: expect.any(String) }]);
    expect(shownTo(model, 1)).toEqual(['user: Begin.', 'assistant: ', 'tool: worked', 'user: Faster.']);
    expect(only(events, 'user_message').map(({ messageId }) => messageId)).toContain(outcomes[0]?.messageId);
    expect(resultOf(events).messageId).not.toBe(outcomes[0]?.messageId);
  });

  it('delivers in this run also when the model had just finished (S29)', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }, { text: 'Done again.' }]);
    await session.send('Begin.');

    const events: StreamMessage[] = [];
    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'usage' && events.length < 6) await session.send('One more.');
    }

    expect(only(events, 'user_message').map(({ content }) => content)).toEqual(['Begin.', 'One more.']);
    expect(resultOf(events).content).toBe('Done again.');
  });

  it('keeps `later` for the next run (S29)', async () => {
    let outcome: SendOutcome | undefined;
    const work = toolNamed('work', async () => void (outcome = await session.send('Tomorrow.', { priority: 'later' })));
    const { session } = await scriptedSession(
      [{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }, { text: 'Hello.' }],
      { tools: [work] },
    );

    const first = await say(session, 'Begin.');
    const second = await read(session);

    expect(outcome?.status).toBe('queued');
    expect(only(first, 'user_message')).toHaveLength(1);
    expect(only(second, 'user_message').map(({ content }) => content)).toEqual(['Tomorrow.']);
  });

  it('waits for the next run once the result was told', async () => {
    const { session } = await scriptedSession(() => ({ text: 'Done.' }));
    await session.send('Begin.');

    const outcomes: SendOutcome[] = [];
    for await (const event of session.stream())
      if (event.type === 'result') outcomes.push(await session.send('Too late.'));

    expect(outcomes.map(({ status }) => status)).toEqual(['queued']);
    expect(only(await read(session), 'user_message').map(({ content }) => content)).toEqual(['Too late.']);
  });

  it('interrupts the model with `now`, and keeps the text that was shown (S29, Q07)', async () => {
    const { session, model } = await scriptedSession([{ text: ['Once', ' upon'], hangs: true }, { text: 'Stopped.' }]);
    await session.send('Tell.');

    const events: StreamMessage[] = [];
    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'content' && event.delta === ' upon') await session.send('Stop.', { priority: 'now' });
    }

    expect(shownTo(model, 1)).toEqual(['user: Tell.', 'assistant: Once upon', 'user: Stop.']);
    expect(session.messages[1]).toMatchObject({ stopReason: 'interrupted', usage: { estimated: true } });
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Stopped.', usage: { estimated: true } });
  });

  it('interrupts a model that has said nothing without leaving an empty reply', async () => {
    const { session } = await scriptedSession(({ messages }) =>
      messages.length === 1 ? { hangs: true } : { text: 'Stopped.' },
    );
    await session.send('Tell.');
    const stream = session.stream();
    await stream.next();
    await stream.next();
    const pending = stream.next();

    await session.send('Stop.', { priority: 'now' });
    await pending;
    for await (const _ of stream) continue;

    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });

  it('lets calls under way finish, and answers those that have not begun as not run (S29)', async () => {
    const first = toolNamed(
      'first',
      async () => {
        await session.send('Stop.', { priority: 'now' });
        return 'finished';
      },
      unsafe,
    );
    const toolCalls = [{ name: 'first' }, { name: 'echo', input: { text: 'a' } }];
    const { session } = await scriptedSession([{ toolCalls }, { text: 'Stopped.' }], { tools: [first, echoTool()] });

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual([
      'finished',
      'echo was not run: the run was stopped before it began',
    ]);
    expect(resultOf(events).subtype).toBe('success');
    expect(faultsOf(session.messages)).toEqual([]);
  });

  it('does not interrupt the turn that delivers the urgent message, when its sender is told late', async () => {
    const store = memoryStore();
    const told = Promise.withResolvers<void>();
    const slow: SessionStore = {
      ...store,
      enqueue: async (sessionId, item) => {
        const fresh = await store.enqueue(sessionId, item);
        if (item.priority === 'now') await told.promise;
        return fresh;
      },
    };
    const sends: Promise<SendOutcome>[] = [];
    const work = toolNamed('work', async () => void sends.push(session.send('Hurry.', { priority: 'now' })));
    const { session } = await scriptedSession([{ toolCalls: [{ name: 'work' }] }, { text: ['a', 'b', 'c'] }], {
      tools: [work],
      store: slow,
    });
    await session.send('Begin.');

    for await (const event of session.stream()) {
      if (event.type !== 'content' || event.delta !== 'a') continue;
      told.resolve();
      await Promise.all(sends);
    }

    expect(session.messages.at(-1)).toMatchObject({ stopReason: 'end', content: [{ text: 'abc' }] });
  });

  it('leaves a message that the run did not get to for the next one (S29)', async () => {
    const work = toolNamed('work', async () => void (await session.send('More.')));
    const { session } = await scriptedSession([{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }], {
      tools: [work],
      maxTurns: 1,
    });

    const first = await say(session, 'Begin.');
    const next = await session.send('And more.');
    const second = await read(session);

    expect(resultOf(first).subtype).toBe('max_turns');
    expect(next.status).toBe('queued');
    expect(only(second, 'user_message').map(({ content }) => content)).toEqual(['More.', 'And more.']);
  });

  it('takes a message that another process sends to the same store (ZD12)', async () => {
    const store = memoryStore();
    const message = {
      id: crypto.randomUUID(),
      createdAt: new Date().toISOString(),
      role: 'user' as const,
      content: [{ type: 'text' as const, text: 'Hello from afar.' }],
    };
    const work = toolNamed(
      'work',
      async () => void (await store.enqueue(session.sessionId, { message, priority: 'next' })),
    );
    const { session, model } = await scriptedSession([{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }], {
      tools: [work],
      store,
    });

    await say(session, 'Begin.');

    expect(shownTo(model, 1).at(-1)).toBe('user: Hello from afar.');
    expect(await store.enqueue(session.sessionId, { message, priority: 'next' })).toBe(false);
  });
});

it('a message that a handler refuses ends the run and does not come back (A22)', async () => {
  const guard: AgentHandler = {
    name: 'guard',
    beforeUserMessage: (message) => {
      if (message.content.some((block) => block.type === 'text' && block.text === 'bad')) throw new Error('refused');
    },
  };
  const { session } = await scriptedSession(() => ({ text: 'Done.' }), { handlers: [guard] });

  const refused = await say(session, 'bad');
  const next = await say(session, 'good');

  expect(resultOf(refused)).toMatchObject({ subtype: 'error', error: 'refused' });
  expect(only(next, 'user_message').map(({ content }) => content)).toEqual(['good']);
});
