import { AgentError, type StreamMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import {
  bodiesOf,
  echoTool,
  only,
  read,
  resultOf,
  say,
  scriptedSession,
  shownTo,
  toolNamed,
} from '../support/makers.ts';

const typesOf = (events: readonly StreamMessage[]) => events.map(({ type }) => type);
const echoes = (...texts: string[]) => ({ toolCalls: texts.map((text) => ({ name: 'echo', input: { text } })) });

describe('stream()', () => {
  it('yields a turn in its order and ends with one result (S11, S21, S22, S24)', async () => {
    const script = [{ text: 'Let me see.', ...echoes('a') }, { text: ['Do', 'ne.'] }];
    const { session } = await scriptedSession(script, { tools: [echoTool()] });
    const { messageId } = await session.send('Begin.');

    const events = await read(session);

    expect(typesOf(events).join(' ')).toBe(
      'turn_start user_message content usage tool_use tool_result turn_end ' +
        'turn_start content content usage turn_end result',
    );
    expect(only(events, 'turn_start').map(({ turn }) => turn)).toEqual([1, 2]);
    expect(only(events, 'user_message')).toEqual([{ type: 'user_message', messageId, content: 'Begin.' }]);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', messageId, content: 'Done.' });
  });

  it('keeps thinking to itself unless it is asked for (S09)', async () => {
    const { session } = await scriptedSession(() => ({ thinking: ['Hm', 'm.'], text: 'Done.' }));

    const without = await say(session, 'Once.');
    await session.send('Twice.');
    const withThinking = await read(session, { includeThinking: true });

    expect(only(without, 'thinking')).toEqual([]);
    expect(only(withThinking, 'thinking').map(({ delta }) => delta)).toEqual(['Hm', 'm.']);
  });

  it('adds up the usage of its model calls in the result (S14)', async () => {
    const script = [
      { ...echoes('a'), usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 2 } },
      { text: 'Done.' },
    ];
    const { session } = await scriptedSession(script, { tools: [echoTool()] });

    const events = await say(session, 'Begin.');

    expect(only(events, 'usage')).toHaveLength(2);
    expect(resultOf(events).usage).toEqual({ inputTokens: 13, outputTokens: 9, totalTokens: 22, cacheReadTokens: 2 });
  });

  it.each([{ thinking: true }, null, 'thinking'])(
    'refuses the options %j at the first next(), and leaves what waits',
    async (options) => {
      const { session } = await scriptedSession([{ text: 'Done.' }]);
      await session.send('Begin.');

      await expect(read(session, options as never)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });

      expect(resultOf(await read(session)).subtype).toBe('success');
    },
  );

  it('throws NOTHING_TO_STREAM at the first next() when nothing waits (S26)', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }]);
    const stream = session.stream();

    await expect(stream.next()).rejects.toMatchObject({ name: 'SessionError', code: 'NOTHING_TO_STREAM' });

    expect(resultOf(await say(session, 'Begin.')).subtype).toBe('success');
    await expect(read(session)).rejects.toMatchObject({ code: 'NOTHING_TO_STREAM' });
  });

  it('throws SESSION_BUSY for a second reader, and the first goes on unharmed (S27)', async () => {
    const { session } = await scriptedSession([{ text: ['a', 'b'] }]);
    await session.send('Begin.');
    const first = session.stream();
    await first.next();

    await expect(read(session)).rejects.toMatchObject({ code: 'SESSION_BUSY' });

    expect(resultOf(await Array.fromAsync(first)).subtype).toBe('success');
  });

  it('serves one run with all messages sent before it, in order (S28)', async () => {
    const { session, model } = await scriptedSession([{ text: 'Done.' }]);
    const sent = [
      await session.send('one'),
      await session.send('two'),
      await session.send('three', { priority: 'later' }),
    ];

    const events = await read(session);

    expect(sent.map(({ status }) => status)).toEqual(['started', 'queued', 'queued']);
    expect(only(events, 'user_message').map(({ messageId }) => messageId)).toEqual(
      sent.map(({ messageId }) => messageId),
    );
    expect(shownTo(model, 0)).toEqual(['user: one', 'user: two', 'user: three']);
    expect((await session.send('four')).status).toBe('started');
  });

  it('tells a failure with one error event and one result, and does not throw (S25)', async () => {
    const error = new AgentError('overloaded', { code: 'MODEL_ERROR' });
    const { session } = await scriptedSession([{ text: 'Half', error }, { text: 'Done.' }]);

    const events = await say(session, 'Begin.');
    const again = await say(session, 'Again.');

    expect(typesOf(events).slice(-3)).toEqual(['turn_end', 'error', 'result']);
    expect(only(events, 'error')).toEqual([
      { type: 'error', message: 'overloaded', code: 'MODEL_ERROR', status: 500, retryable: false },
    ]);
    expect(resultOf(events)).toMatchObject({ subtype: 'error', error: 'overloaded' });
    expect(resultOf(again).subtype).toBe('success');
  });

  it('ends with max_turns, and the calls of the last reply have their results in the log (S12)', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => echoes('a', 'b'), { tools: [echoTool()], maxTurns: 2, store });

    const events = await say(session, 'Begin.');

    expect(resultOf(events).subtype).toBe('max_turns');
    expect(only(events, 'turn_start')).toHaveLength(2);
    const records = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'record' ? [body.record.type] : [],
    );
    expect(records.filter((type) => type === 'tool_finished')).toHaveLength(4);
  });

  it('gives the same id and name to a call and its answer, whatever ids the service gives (S23)', async () => {
    const twice = { toolCalls: ['a', 'b'].map((text) => ({ id: 'call_0', name: 'echo', input: { text } })) };
    const { session } = await scriptedSession([twice, twice, { text: 'Done.' }], { tools: [echoTool()] });

    const events = await say(session, 'Begin.');

    const asked = only(events, 'tool_use').map(({ id, name }) => `${id} ${name}`);
    const answered = only(events, 'tool_result').map(({ id, name }) => `${id} ${name}`);
    expect(new Set(asked).size).toBe(4);
    expect(answered.toSorted()).toEqual(asked.toSorted());
  });

  it('answers an unknown tool, a bad input and a tool that throws, and goes on (Q04)', async () => {
    const failing = toolNamed('failing', () => Promise.reject(new Error('no luck')), { kind: 'readonly' });
    const toolCalls = [{ name: 'missing' }, { name: 'echo', input: { text: 1 } }, { name: 'failing' }];
    const { session } = await scriptedSession([{ toolCalls }, { text: 'Done.' }], {
      tools: [echoTool(), failing],
      allowedTools: ['echo', 'failing', 'missing'],
    });

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result').map(({ output, isError }) => ({ output, isError }))).toEqual([
      { output: 'Tool not found: missing', isError: true },
      { output: 'Invalid input for echo: text must be a string', isError: true },
      { output: 'no luck', isError: true },
    ]);
    expect(resultOf(events).subtype).toBe('success');
  });
});

describe('messages', () => {
  it('is a fresh array each time: changing it changes nothing (S32)', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }]);
    await say(session, 'Begin.');

    session.messages.length = 0;

    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(session.messages).not.toBe(session.messages);
  });

  it('has ids, times and roles as specified (S33)', async () => {
    const { session } = await scriptedSession([echoes('a'), { text: 'Done.' }], { tools: [echoTool()] });

    await say(session, 'Begin.');

    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    for (const { id, createdAt } of session.messages) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      expect(new Date(createdAt).toISOString()).toBe(createdAt);
    }
    expect(new Set(session.messages.map(({ id }) => id)).size).toBe(4);
  });
});
