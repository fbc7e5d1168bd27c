import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentHandler, userMessage } from '@x/core';
import type { AgentMiddleware } from '@x/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, resumeSession, type SessionOptions } from '../../src/index.ts';
import { echoTool, only, resultOf, say, scriptedProvider, scriptedSession, toolNamed } from '../support/makers.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'options-'));
});
afterAll(() => rm(folder, { recursive: true }));

const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });

describe('createSession()', () => {
  it('gives each session a random UUID (S01)', async () => {
    const sessions = await Promise.all([scriptedSession([]), scriptedSession([])]);

    const ids = sessions.map(({ session }) => session.sessionId);

    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('model: names the model (S05b)', async () => {
    const { session, model } = await scriptedSession([{ text: 'Done.' }], { model: 'clever-9' });

    await say(session, 'Begin.');

    expect(model.name).toBe('clever-9');
    expect(session.messages.at(-1)).toMatchObject({ model: 'clever-9' });
    expect(await session.supportedModels()).toMatchObject([{ id: 'clever-9', provider: 'custom' }]);
  });

  it('systemPrompt: is the instruction; without one there is a default (S05c)', async () => {
    const given = await scriptedSession([{ text: 'Done.' }], { systemPrompt: 'Be short.' });
    const none = await scriptedSession([{ text: 'Done.' }], { cwd: folder });

    await say(given.session, 'Begin.');
    await say(none.session, 'Begin.');

    expect(given.model.requests[0]?.instruction).toBe('Be short.');
    expect(none.model.requests[0]?.instruction).toContain(folder);
    expect(none.model.requests[0]?.instruction).not.toContain('undefined');
  });

  it('maxTurns: limits the model calls of a run; 200 without it (S05d)', async () => {
    const turns = async (options: Partial<SessionOptions>) => {
      const tools = [toolNamed('again', async () => 'once more', { kind: 'readonly' })];
      const { session } = await scriptedSession(() => calls('again'), { tools, ...options });
      return only(await say(session, 'Begin.'), 'turn_start').length;
    };

    expect(await turns({ maxTurns: 3 })).toBe(3);
    expect(await turns({})).toBe(200);
  });

  it('middlewares come before handlers, each in list order (A19, A49)', async () => {
    const order: string[] = [];
    const handler = (name: string): AgentHandler => ({ name, beforeAgent: () => void order.push(name) });
    const middleware = (name: string): AgentMiddleware => ({
      beforeChatModel: () => void order.push(name),
      additionalInstruction: name,
    });
    const { session, model } = await scriptedSession([{ text: 'Done.' }], {
      systemPrompt: 'Base.',
      handlers: [
        handler('h0'),
        handler('h1'),
        { name: 'last', beforeModelRewriteHistory: (messages) => [...messages, userMessage('seen')] },
      ],
      middlewares: [middleware('m0'), middleware('m1')],
    });

    await say(session, 'Begin.');

    expect(order).toEqual(['h0', 'h1', 'm0', 'm1']);
    expect(model.requests[0]?.instruction).toBe('Base.\nm0\nm1');
    expect(model.requests[0]?.messages).toHaveLength(2);
    expect(session.messages).toHaveLength(2); // what a rewriter adds is not in the log (A47)
  });

  it('validateHandlers: finds a broken beforeAgent when the session is made (A21)', async () => {
    const broken: AgentHandler = { name: 'broken', beforeAgent: () => Promise.reject(new Error('no configuration')) };
    const options = { handlers: [broken] };

    await expect(scriptedSession([], { ...options, validateHandlers: true })).rejects.toThrow('no configuration');

    const { session } = await scriptedSession([], options);
    expect(resultOf(await say(session, 'Begin.'))).toMatchObject({ subtype: 'error', error: 'no configuration' });
  });

  it('store: keeps the session; another store does not know it (S44)', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([], { store });
    const { provider } = scriptedProvider([]);
    const options = { provider, model: 'm', sessionId: session.sessionId };

    expect((await resumeSession({ ...options, store })).sessionId).toBe(session.sessionId);
    await expect(resumeSession({ ...options, store: memoryStore() })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  it('takes its lists as they are: changing them later has no effect (A28)', async () => {
    const handlers: AgentHandler[] = [];
    const allowedTools: string[] = [];
    const { session, model } = await scriptedSession([{ text: 'Done.' }], {
      handlers,
      allowedTools,
      tools: [echoTool()],
    });

    handlers.push({ name: 'late', beforeAgent: () => Promise.reject(new Error('late')) });
    allowedTools.push('echo');

    expect(resultOf(await say(session, 'Begin.')).subtype).toBe('success');
    expect(model.requests[0]?.tools).toEqual([]);
  });

  it('takes its prices as they are: changing them later has no effect', async () => {
    const prices = { scripted: { input: 1, output: 1 } };
    const { session } = await scriptedSession([{ text: 'Done.' }], { prices });

    prices.scripted.input = 1_000_000;
    await say(session, 'Begin.');

    expect((await session.usage()).total.cost.usd).toBeCloseTo(15 / 1e6, 12);
  });
});
