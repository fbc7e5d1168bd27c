import { type AgentHandler, type ModelOptions, userMessage } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  forkSession,
  memoryStore,
  prompt,
  resumeSession,
  type SessionOptions,
} from '../../src/index.ts';
import { echoTool, resultOf, say, scriptedProvider, toolNamed } from '../support/makers.ts';
import { optionTakers } from '../support/option-takers.ts';

const call = { toolCalls: [{ name: 'echo', input: { text: 'a' } }] };
const done = { text: 'Done.' };

/** A session whose models take all options but the refused ones. */
async function taking(script: Script, options: Partial<SessionOptions> = {}, refused: Record<string, string[]> = {}) {
  const takers = optionTakers(script, refused);
  const { provider } = takers;
  const base = { provider, model: 'm', store: memoryStore(), tools: [echoTool()], allowedTools: ['echo', 'Task'] };
  return { ...takers, session: await createSession({ ...base, ...options }) };
}

describe('modelOptions of a session', () => {
  it('are in every request of its runs, and the choice of a tool in the first of each', async () => {
    const modelOptions = { temperature: 0.5, toolChoice: 'required' } as const;
    const { session, asked } = await taking([call, done, call, done], { modelOptions });

    await say(session, 'one');
    await say(session, 'two');

    expect(asked()).toEqual([modelOptions, { temperature: 0.5 }, modelOptions, { temperature: 0.5 }]);
  });

  it('are the same object while nothing changes, for adapters that cache by it', async () => {
    const { session, asked } = await taking([call, call, done], { modelOptions: { seed: 1 } });

    await say(session, 'one');

    expect(new Set(asked()).size).toBe(1);
  });

  it('are copied: a later change of the host has no effect', async () => {
    const modelOptions = { stopSequences: ['a'] };
    const { session, asked } = await taking([done], { modelOptions });

    modelOptions.stopSequences.push('b');
    await say(session, 'one');

    expect(asked()).toEqual([{ stopSequences: ['a'] }]);
  });

  it('are absent from requests when there are none', async () => {
    const { session, models } = await taking([done], { modelOptions: {} });

    await say(session, 'one');

    expect(models[0]?.requests[0]).not.toHaveProperty('options');
  });

  it('are those of a prompt, a resumed session and a fork too', async () => {
    const store = memoryStore();
    const { session, provider, asked } = await taking([done], { store, modelOptions: { seed: 1 } });
    const { sessionId } = session;
    await say(session, 'one');
    const own = { provider, model: 'm', store, modelOptions: { seed: 2 } };

    await prompt('two', own);
    await say(await resumeSession({ ...own, sessionId }), 'three');
    await say(await forkSession({ ...own, sessionId }), 'four');
    await say(await session.fork(), 'five');

    expect(asked().map((options) => options?.seed)).toEqual([1, 2, 2, 2, 1]);
  });

  it('are those of subagents on its model, without the choice of a tool', async () => {
    const task = (subagent_type: string) => ({
      toolCalls: [{ name: 'Task', input: { subagent_type, description: 'd', prompt: 'p' } }],
    });
    const agents = [
      { name: 'same', description: 'Same model.' },
      { name: 'other', description: 'Own model.', model: 'small' },
    ];
    const modelOptions = { temperature: 0.5, toolChoice: 'required' } as const;
    const script: Script = ({ messages }, turn) => {
      const isTask = messages.length === 1 && turn > 1;
      return isTask || turn > 4 ? done : (([task('same'), done, task('other'), done] as const)[turn - 1] ?? done);
    };
    const { session, models } = await taking(script, { modelOptions, agents });

    await say(session, 'one', { modelOptions: { seed: 1 } });

    const [own, small] = [models.find(({ name }) => name === 'm'), models.find(({ name }) => name === 'small')];
    expect(own?.requests[1]?.messages).toHaveLength(1);
    expect(own?.requests[1]?.options).toEqual({ temperature: 0.5, seed: 1 });
    expect(small?.requests[0]).not.toHaveProperty('options');
  });
});

describe('modelOptions of a message', () => {
  it('are in force until its run ends, over those of the session', async () => {
    const { session, asked } = await taking([call, done, done], { modelOptions: { seed: 1, topP: 1 } });

    await say(session, 'one', { modelOptions: { seed: 2 } });
    await say(session, 'two');

    expect(asked()).toEqual([
      { seed: 2, topP: 1 },
      { seed: 2, topP: 1 },
      { seed: 1, topP: 1 },
    ]);
    expect(session.messages[0]).toMatchObject({ role: 'user', modelOptions: { seed: 2 } });
  });

  it('choose a tool for one reply, the one to the message', async () => {
    const { session, asked } = await taking([call, call, done], { modelOptions: { toolChoice: 'none' } });

    await say(session, 'one', { modelOptions: { toolChoice: { tool: 'echo' }, seed: 1 } });

    expect(asked()).toEqual([{ toolChoice: { tool: 'echo' }, seed: 1 }, { seed: 1 }, { seed: 1 }]);
  });

  it('hold from where a message joins a run', async () => {
    const joins = toolNamed('echo', async () => {
      await session.send('more', { modelOptions: { seed: 2, toolChoice: 'required' } });
      return 'a';
    });
    const made = await taking([{ toolCalls: [{ name: 'echo' }] }, done, done], {
      tools: [joins],
      modelOptions: { topP: 1 },
    });
    const { session } = made;

    await say(session, 'one', { modelOptions: { seed: 1 } });

    expect(made.asked()).toEqual([
      { topP: 1, seed: 1 },
      { topP: 1, seed: 2, toolChoice: 'required' },
    ]);
  });

  it('stay when a handler writes another message', async () => {
    const rewrites: AgentHandler = {
      name: 'rewrites',
      beforeUserMessage: ({ id }) => ({ ...userMessage('other'), id }),
    };
    const { session, asked } = await taking([done], { handlers: [rewrites] });

    await say(session, 'one', { modelOptions: { seed: 1 } });

    expect(asked()).toEqual([{ seed: 1 }]);
    expect(session.messages[0]).toMatchObject({ content: [{ text: 'other' }], modelOptions: { seed: 1 } });
  });

  it('are those of a retry, whose run is another one', async () => {
    const down = { error: new TypeError('It is down') };
    const sending = { modelOptions: { seed: 1, toolChoice: 'required' } } as const;
    const { session, asked } = await taking([down, call, down, done], {});
    await say(session, 'one', sending);

    await Array.fromAsync(session.retry());
    await Array.fromAsync(session.retry());

    expect(asked()).toEqual([sending.modelOptions, sending.modelOptions, { seed: 1 }, { seed: 1 }]);
  });

  it('are not in a summary of the conversation', async () => {
    const { session, models } = await taking([done, done, done, { text: 'Sum.' }], {
      modelOptions: { toolChoice: 'none' },
    });
    for (const text of ['one', 'two', 'three']) await say(session, text, { modelOptions: { seed: 1 } });

    await say(session, '/compact');

    const summary = models[0]?.requests[3];
    expect(summary?.instruction).toMatch(/^You condense the record/);
    expect(summary).not.toHaveProperty('options');
  });

  it('are part of what a key of a message stands for', async () => {
    const { session } = await taking([done]);
    const idempotencyKey = 'k';
    await session.send('one', { idempotencyKey, modelOptions: { seed: 1 } });

    const again = await session.send('one', { idempotencyKey, modelOptions: { seed: 1 } });

    expect(again.status).toBe('duplicate');
    await expect(session.send('one', { idempotencyKey, modelOptions: { seed: 2 } })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
  });
});

describe('request.options of a step', () => {
  const setting = (options: ModelOptions): AgentHandler => ({
    name: 'sets',
    wrapModelCall: (request, next) => next({ ...request, options: { ...request.options, ...options } }),
  });

  it('are what handlers make of them', async () => {
    const { session, asked } = await taking([done], { handlers: [setting({ topP: 1 })], modelOptions: { seed: 1 } });

    await say(session, 'one');

    expect(asked()).toEqual([{ seed: 1, topP: 1 }]);
  });

  it.each<[string, ModelOptions, string]>([
    ['the model does not take', { topP: 1 }, 'topP is not taken by m'],
    ['is no option', { topK: 1 } as ModelOptions, 'modelOptions: unknown topK'],
    ['chooses a tool that is not offered', { toolChoice: { tool: 'other' } }, 'asks m for other'],
  ])('end the run before the request leaves, when one %s', async (_case, options, error) => {
    const { session, models } = await taking([done], { handlers: [setting(options)] }, { m: ['topP'] });

    const result = resultOf(await say(session, 'one'));

    expect(result).toMatchObject({ subtype: 'error', code: 'VALIDATION_ERROR', retryable: false });
    expect(result.error).toContain(error);
    expect(models[0]?.requests).toEqual([]);
  });
});

describe('an option that a model does not take', () => {
  const refused = { m: ['topP'], spare: ['seed'], next: ['temperature'] };

  it.each<[string, Partial<SessionOptions>, string, string]>([
    ['the session', { modelOptions: { topP: 1 } }, 'modelOptions.topP', 'topP is not taken by m'],
    [
      'its fallback',
      { modelOptions: { seed: 1 }, fallbackModel: 'spare' },
      'modelOptions.seed',
      'seed is not taken by spare',
    ],
  ])('is refused when %s is created', async (_whose, options, field, message) => {
    await expect(taking([], options, refused)).rejects.toMatchObject({ name: 'ValidationError', field, message });
  });

  it('is refused where the model of the host has no checkOptions', async () => {
    const { provider } = scriptedProvider([]);
    const creation = createSession({ provider, model: 'm', store: memoryStore(), modelOptions: { seed: 1 } });

    await expect(creation).rejects.toMatchObject({
      field: 'modelOptions.seed',
      message: expect.stringContaining('has no checkOptions'),
    });
  });

  it('is refused by setModel, and the model stays', async () => {
    const { session, models } = await taking([done], { modelOptions: { temperature: 1 } }, refused);

    await expect(session.setModel('next')).rejects.toMatchObject({ field: 'modelOptions.temperature' });
    await session.setModel('spare');
    await say(session, 'one');

    expect(models.map(({ name, requests }) => `${name}: ${requests.length}`)).toEqual(['m: 0', 'next: 0', 'spare: 1']);
  });

  it.each<[object, string, string]>([
    [{ modelOptions: { topP: 1 } }, 'modelOptions.topP', 'topP is not taken by m'],
    [{ modelOptions: { seed: 1 } }, 'modelOptions.seed', 'seed is not taken by spare'],
    [{ modelOptions: { seed: 1.5 } }, 'modelOptions.seed', 'a whole number'],
    [{ temperature: 1 }, 'temperature', 'goes into modelOptions.temperature'],
    [{ top_k: 1 }, 'top_k', 'provider.extraBody'],
  ])('is refused by send: %j', async (sending, field, message) => {
    const { session } = await taking([done], { fallbackModel: 'spare' }, refused);

    const sent = session.send('one', sending);

    await expect(sent).rejects.toMatchObject({ name: 'ValidationError', field });
    await expect(sent).rejects.toThrow(message);
    await expect(session.send('one', { modelOptions: { temperature: 1 } })).resolves.toMatchObject({
      status: 'started',
    });
  });

  it('is refused with a command to the session, which no model sees', async () => {
    const { session } = await taking([done]);

    await expect(session.send('/compact', { modelOptions: { seed: 1 } })).rejects.toThrow('has no effect on a command');
  });

  it('ends the run when the model was changed since the message was sent', async () => {
    const { session, models } = await taking([done], {}, refused);
    await session.send('one', { modelOptions: { temperature: 1 } });
    await session.setModel('next');

    const result = resultOf(await Array.fromAsync(session.stream()));

    expect(result).toMatchObject({ subtype: 'error', error: 'temperature is not taken by next' });
    expect(models[1]?.requests).toEqual([]);
  });
});
