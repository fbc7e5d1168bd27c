import type { Script, ScriptedReply } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';
import {
  codeOf,
  echoTool,
  only,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
  shownTo,
  toolNamed,
} from '../support/makers.ts';

const down = { error: new TypeError('It is down') };
const call = { toolCalls: [{ id: 'c', name: 'echo', input: { text: 'hello' } }] };

/** A session whose first run has failed. */
async function failed(script: Script, options: Partial<SessionOptions> = {}) {
  const made = await scriptedSession(script, { tools: [echoTool()], ...options });
  expect(resultOf(await say(made.session, 'Begin.')).subtype).toBe('error');
  return made;
}

describe('retry()', () => {
  it('asks the model again what it has not answered, in a run of its own', async () => {
    const { session, model } = await failed([down, { text: 'Done.' }]);

    const events = await Array.fromAsync(session.retry());

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.', turns: 1 });
    expect(resultOf(events).messageId).toBe(session.messages[0]?.id);
    expect(only(events, 'user_message')).toEqual([]);
    expect(shownTo(model, 1)).toEqual(['user: Begin.']);
    await session.close();
  });

  it('goes on behind what the failed run has done, and runs nothing of it again', async () => {
    let calls = 0;
    const tools = [echoTool(() => void (calls += 1))];
    const { session, model } = await failed([call, down, { text: 'Done.' }], { tools });

    expect(resultOf(await Array.fromAsync(session.retry())).content).toBe('Done.');

    expect(shownTo(model, 2)).toEqual(['user: Begin.', 'assistant: ', 'tool: hello']);
    expect(calls).toBe(1);
    await session.close();
  });

  it('is for another process too, and after another failure', async () => {
    const store = memoryStore();
    const { session } = await failed([down], { store });
    await session.close();
    const { provider } = scriptedProvider([down, { text: 'Done.' }]);
    const resumed = await resumeSession({ provider, model: 'm', store, sessionId: session.sessionId });

    const subtypes = [];
    for (let tries = 0; tries < 2; tries++) subtypes.push(resultOf(await Array.fromAsync(resumed.retry())).subtype);

    expect(subtypes).toEqual(['error', 'success']);
    await resumed.close();
  });

  it('takes along what was sent since', async () => {
    const { session, model } = await failed([down, { text: 'Done.' }]);
    await session.send('And be brief.');

    expect(resultOf(await Array.fromAsync(session.retry())).subtype).toBe('success');

    expect(shownTo(model, 1)).toEqual(['user: Begin.', 'user: And be brief.']);
    await session.close();
  });

  it.each<[string, readonly ScriptedReply[], RegExp]>([
    ['nothing has run', [], /has nothing to retry: its last run has not failed/],
    ['the last run has succeeded', [{ text: 'Done.' }], /has nothing to retry: its last run has not failed/],
    ['a retry has succeeded', [down, { text: 'Done.' }], /has nothing to retry: its last run has not failed/],
  ])('is refused when %s', async (_name, script, text) => {
    const { session } = await scriptedSession(script);
    if (script.length > 0) await say(session, 'Begin.');
    if (script.length > 1) await Array.fromAsync(session.retry());

    await expect(session.retry().next()).rejects.toMatchObject({ code: 'NOTHING_TO_STREAM', message: text });
    await session.close();
  });

  it('is refused when the model has answered, and what failed came after', async () => {
    const handlers = [{ name: 'late', afterAgent: () => Promise.reject(new TypeError('Too late')) }];
    const { session, model } = await failed([{ text: 'Done.' }], { handlers });

    await expect(session.retry().next()).rejects.toThrow('the model has answered');

    expect(model.requests).toHaveLength(1);
    await session.close();
  });

  it('is refused when the message was, and there is nothing else to ask the model', async () => {
    const hooks = { UserPromptSubmit: [{ hooks: [async () => ({ decision: 'block' as const, reason: 'no' })] }] };
    const { session, model } = await failed([{ text: 'never' }], { hooks });

    await expect(session.retry().next()).rejects.toMatchObject({
      code: 'NOTHING_TO_STREAM',
      message: expect.stringContaining('its message was refused'),
    });

    expect(model.requests).toEqual([]);
    await session.close();
  });

  it('is one reader like any other', async () => {
    const { session } = await failed([down, { text: 'Done.' }]);
    const events = session.retry();
    await events.next();

    expect(await codeOf(session.stream().next())).toBe('SESSION_BUSY');
    expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    await session.close();
    expect(await codeOf(session.retry().next())).toBe('SESSION_CLOSED');
  });

  it('answers calls that the failure has left open as not run', async () => {
    const stop = toolNamed('stop', () => Promise.reject(new TypeError('never')), {});
    const wrapToolCall = () => {
      throw new TypeError('The guard is broken');
    };
    const { session, model } = await failed([{ toolCalls: [{ id: 's', name: 'stop' }] }, { text: 'I see.' }], {
      tools: [stop],
      handlers: [{ name: 'broken', wrapToolCall: wrapToolCall }],
    });

    expect(resultOf(await Array.fromAsync(session.retry())).content).toBe('I see.');

    expect(shownTo(model, 1).at(-1)).toMatch(/^tool: The call could not be settled/);
    await session.close();
  });
});
