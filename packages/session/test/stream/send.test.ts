import { getEventListeners } from 'node:events';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import {
  bodiesOf,
  codeOf,
  echoTool,
  only,
  read,
  resultOf,
  say,
  scriptedSession,
  shownTo,
  toolNamed,
} from '../support/makers.ts';

const echoes = (text: string) => ({ toolCalls: [{ name: 'echo', input: { text } }] });

describe('send()', () => {
  it('is durable when it resolves, before any model call (S08)', async () => {
    const store = memoryStore();
    const { session, model } = await scriptedSession([], { store });

    const { messageId } = await session.send('Begin.');

    const waiting = await store.inbox(session.sessionId);
    expect(waiting.map(({ message }) => message.id)).toEqual([messageId]);
    expect(model.requests).toEqual([]);
  });

  it('rejects with AbortError for a signal that is aborted already, and records nothing (S31)', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([], { store });

    await expect(session.send('Begin.', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
      code: 'ABORTED',
    });

    expect(await store.inbox(session.sessionId)).toEqual([]);
    expect(await bodiesOf(store, session.sessionId)).toHaveLength(1);
  });

  it('refuses an empty message and options that it does not know', async () => {
    const { session } = await scriptedSession([]);
    const refused = [
      session.send(''),
      session.send(7 as never),
      session.send('x', { prio: 'now' } as never),
      session.send('x', { priority: 'soon' as never }),
      session.send('x', { maxTurns: 0 }),
      session.send('x', { maxTurns: 1.5 }),
      session.send('x', null as never),
      session.send('x', { signal: {} as never }),
    ];

    const codes = await Promise.all(refused.map(codeOf));

    expect(codes).toEqual(Array.from({ length: 8 }, () => 'VALIDATION_ERROR'));
    await expect(session.send('x', { prio: 'now' } as never)).rejects.toThrow(/prio.*priority/);
  });

  it('takes the limit of turns from the newest first message that names one, for that run only (S30)', async () => {
    const { session } = await scriptedSession(() => echoes('a'), { tools: [echoTool()], maxTurns: 4 });
    await session.send('one', { maxTurns: 1 });
    await session.send('two', { maxTurns: 3 });
    await session.send('three');

    const first = await read(session);
    const second = await say(session, 'four');

    expect(only(first, 'turn_start')).toHaveLength(3);
    expect(only(second, 'turn_start')).toHaveLength(4);
  });

  it('does not let a steered message change the limit of the run (S30)', async () => {
    const steer = toolNamed('steer', async () => void (await session.send('More.', { maxTurns: 9 })), {
      kind: 'readonly',
    });
    const { session } = await scriptedSession(() => ({ toolCalls: [{ name: 'steer' }] }), {
      tools: [steer],
      maxTurns: 2,
    });

    const events = await say(session, 'Begin.');

    expect(only(events, 'turn_start')).toHaveLength(2);
    expect(resultOf(events).subtype).toBe('max_turns');
  });

  it("aborts the run when the message's signal is aborted, and leaves no listener on it (S13)", async () => {
    const controller = new AbortController();
    const stop = toolNamed('stop', async () => controller.abort(), { kind: 'readonly' });
    const { session } = await scriptedSession(() => ({ toolCalls: [{ name: 'stop' }] }), { tools: [stop] });

    const events = await say(session, 'Begin.', { signal: controller.signal });

    expect(resultOf(events).subtype).toBe('aborted');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener on the signal of a run that succeeds, nor of a steered message', async () => {
    const [first, steered] = [new AbortController(), new AbortController()];
    const steer = toolNamed('steer', async () => void (await session.send('More.', { signal: steered.signal })), {
      kind: 'readonly',
    });
    const script = [{ toolCalls: [{ name: 'steer' }] }, { text: 'Done.' }];
    const { session } = await scriptedSession(script, { tools: [steer] });

    const events = await say(session, 'Begin.', { signal: first.signal });

    expect(resultOf(events).subtype).toBe('success');
    expect(getEventListeners(first.signal, 'abort')).toHaveLength(0);
    expect(getEventListeners(steered.signal, 'abort')).toHaveLength(0);
  });

  it('aborts the run of a message whose signal was aborted while it waited', async () => {
    const controller = new AbortController();
    const { session } = await scriptedSession([{ text: 'Done.' }]);
    await session.send('Begin.', { signal: controller.signal });

    controller.abort();

    expect(resultOf(await read(session)).subtype).toBe('aborted');
  });

  it('keeps the signal of a message that had to wait for the next run', async () => {
    const controller = new AbortController();
    const later = toolNamed(
      'later',
      async () => {
        await session.send('More.', { signal: controller.signal });
      },
      { kind: 'readonly' },
    );
    const { session } = await scriptedSession(() => ({ toolCalls: [{ name: 'later' }] }), {
      tools: [later],
      maxTurns: 1,
    });
    await say(session, 'Begin.');

    controller.abort();

    expect(resultOf(await read(session)).subtype).toBe('aborted');
  });

  it('refuses a message that no entry can hold, and takes one that needs a blob', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }]);

    await expect(session.send('x'.repeat(2 * 1024 * 1024))).rejects.toMatchObject({ code: 'ENTRY_TOO_LARGE' });

    expect(resultOf(await say(session, 'y'.repeat(300 * 1024))).subtype).toBe('success');
    expect(session.messages[0]?.content).toMatchObject([{ text: 'y'.repeat(300 * 1024) }]);
  });
});

describe('setModel(), setMaxTurns(), setPermissionMode()', () => {
  it('count from the next run, the mode from the next check (S18)', async () => {
    const turn = toolNamed(
      'turn',
      async () => {
        session.setMaxTurns(1);
        await session.setModel('other');
      },
      { kind: 'readonly' },
    );
    const names: string[] = [];
    const handler = { name: 'names', beforeModelRewriteHistory: (messages: never) => messages };
    const { session, model } = await scriptedSession(
      [{ toolCalls: [{ name: 'turn' }] }, { text: 'Done.' }, { text: 'never' }],
      {
        tools: [turn],
        handlers: [handler],
      },
    );

    const events = await say(session, 'Begin.');
    names.push(...session.messages.flatMap((message) => (message.role === 'assistant' ? [message.model] : [])));
    const next = await say(session, 'Again.');

    expect(only(events, 'turn_start')).toHaveLength(2);
    expect(names).toEqual(['scripted', 'scripted']);
    expect(model.requests).toHaveLength(2);
    expect(only(next, 'turn_start')).toHaveLength(1);
    expect(session.messages.findLast(({ role }) => role === 'assistant')).toMatchObject({ model: 'other' });
  });

  it('judges the second call of a reply by the mode that the first has set (S18)', async () => {
    const plan = toolNamed('plan', async () => session.setPermissionMode('plan'));
    const toolCalls = [{ name: 'plan' }, { name: 'plan' }];
    const { session } = await scriptedSession([{ toolCalls }, { text: 'Done.' }], { tools: [plan] });

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result').map(({ isError }) => isError)).toEqual([false, true]);
  });

  it('refuse what cannot be (S43, P11)', async () => {
    const { session } = await scriptedSession([]);

    await expect(session.setModel('')).rejects.toThrow(ValidationError);
    for (const turns of [0, -1, 1.5, Number.NaN]) expect(() => session.setMaxTurns(turns)).toThrow(ValidationError);
    expect(() => session.setPermissionMode('yolo' as never)).toThrow(ValidationError);
  });
});

it('what the model is shown in the next run is the whole conversation (S39)', async () => {
  const { session, model } = await scriptedSession([echoes('a'), { text: 'One.' }, { text: 'Two.' }], {
    tools: [echoTool()],
  });

  await say(session, 'first');
  await say(session, 'second');

  expect(shownTo(model, 2)).toEqual(['user: first', 'assistant: ', 'tool: a', 'assistant: One.', 'user: second']);
});
