import { defineTool, objectSchema, ValidationError } from '@x/core';
import { memoryWorkspace, scriptedModel } from '@x/core/testing';
import { BaseAgentHandler } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CustomProvider, createSession, memoryStore, resumeSession } from '../../src/index.ts';
import { echoTool, resultOf, say, scriptedProvider, toolNamed } from '../support/makers.ts';

const provider: CustomProvider = {
  type: 'custom',
  createModel: (name) => scriptedModel([{ text: 'Done.' }], { name }),
};
const make = (options: object) => createSession({ provider, model: 'm', store: memoryStore(), ...options });

describe('createSession() refuses', () => {
  it.each([
    ['maxTurn', 'maxTurns'],
    ['permisionMode', 'permissionMode'],
    ['Tools', 'tools'],
    ['handler', 'handlers'],
    ['canUseTools', 'canUseTool'],
    ['outputformat', 'outputFormat'],
  ])('the unknown option %s and names the nearest one (S06)', async (key, nearest) => {
    const creation = make({ [key]: 1 });

    await expect(creation).rejects.toThrow(ValidationError);
    await expect(creation).rejects.toThrow(`The options: unknown ${key}; did you mean ${nearest}? Known: `);
  });

  it.each([
    ['temperature', 'modelOptions.temperature'],
    ['maxTokens', 'modelOptions.maxOutputTokens'],
    ['max_tokens', 'modelOptions.maxOutputTokens'],
    ['topP', 'modelOptions.topP'],
    ['top_p', 'modelOptions.topP'],
    ['seed', 'modelOptions.seed'],
    ['stop', 'modelOptions.stopSequences'],
    ['reasoning_effort', 'modelOptions.reasoning'],
    ['toolChoice', 'modelOptions.toolChoice'],
    ['parallel_tool_calls', 'modelOptions.parallelToolCalls'],
    ['top_logprobs', 'modelOptions.logprobs'],
    ['service_tier', 'modelOptions.serviceTier'],
    ['topK', 'provider.extraBody'],
    ['presence_penalty', 'provider.extraBody'],
  ])('the option %s, which goes into %s', async (key, place) => {
    await expect(make({ [key]: 1 })).rejects.toMatchObject({ field: key, message: expect.stringContaining(place) });
  });

  it.each([
    ['instructions', 'systemPrompt'],
    ['maxSteps', 'maxTurns'],
    ['max_iterations', 'maxTurns'],
    ['maxBudgetUsd', 'maxCost'],
    ['maxThinkingTokens', 'modelOptions.reasoning'],
    ['outputSchema', 'outputFormat'],
    ['response_format', 'outputFormat'],
    ['handoffs', 'agents'],
    ['permissions', 'allowedTools'],
    ['dangerouslySkipPermissions', 'permissionMode'],
    ['apiKey', 'provider'],
    ['abortController', 'session.abort()'],
    ['messages', 'session.send'],
    ['resume', 'resumeSession'],
    ['onFinish', 'session.stream()'],
  ])('the option %s of another SDK, and says what does the same: %s', async (key, ours) => {
    await expect(make({ [key]: 1 })).rejects.toMatchObject({ field: key, message: expect.stringContaining(ours) });
  });

  it('an unknown option that is like none of the known ones, without a guess', async () => {
    await expect(make({ verbosity: 1 })).rejects.toThrow(/^The options: unknown verbosity; known: provider, model, /);
  });

  it('a schema that is no JSON Schema, and says whose: of a tool, or of the answer', async () => {
    const when = z.object({ when: z.date() });
    const tools = [
      echoTool(),
      defineTool({ name: 'calendar', description: 'd', inputSchema: when, execute: async () => 1 }),
    ];
    const outputFormat = { type: 'json_schema', schema: { type: 'object', properties: {} } };

    await expect(make({ tools })).rejects.toThrow('Tool calendar: The zod schema cannot be written as JSON Schema');
    await expect(make({ outputFormat })).rejects.toThrow('what jsonSchema() makes of a JSON Schema, not an object');
  });

  it('a provider of an unknown type, and names all of them', async () => {
    const costum = { type: 'costum', createModel: provider.createModel };

    await expect(make({ provider: costum })).rejects.toThrow(
      'provider.type must be one of openai-compatible, anthropic, gemini, azure-openai, custom, not "costum"',
    );
  });

  it('engine, which goes into serveSessions', async () => {
    await expect(make({ engine: undefined })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'engine',
      message: expect.stringContaining('give it to serveSessions'),
    });
  });

  it.each<[string, object]>([
    ['provider', { provider: undefined }],
    ['provider', { provider: null }],
    ['provider.type', { provider: { type: 'no-such' } }],
    ['provider.apikey', { provider: { type: 'openai-compatible', apikey: 'x' } }],
    ['provider.createModel', { provider: { type: 'custom' } }],
    ['provider', { provider: { type: 'custom', createModel: () => undefined } }],
    ['provider', { provider: { type: 'custom', createModel: async () => scriptedModel([]) } }],
    ['model', { model: undefined }],
    ['model', { model: ' ' }],
    ['model', { model: 7 }],
    ['systemPrompt', { systemPrompt: 7 }],
    ['cwd', { cwd: '/no/such/directory' }],
    ['cwd', { cwd: import.meta.filename }],
    ['cwd', { cwd: '' }],
    ['permissionMode', { permissionMode: 'bypass' }],
    ['canUseTool', { canUseTool: 'yes' }],
    ['hooks.PreTool', { hooks: { PreTool: [] } }],
    ['agents', { agents: 'worker' }],
    [
      'agents',
      {
        agents: [
          { name: 'a', description: 'A.' },
          { name: 'a', description: 'B.' },
        ],
      },
    ],
    ['tools', { agents: [{ name: 'a', description: 'A.' }], tools: [toolNamed('Task', async () => '')] }],
    ['autoApprove', { autoApprove: ['Bash()'] }],
    ['alwaysAsk', { alwaysAsk: ['Bash('] }],
    ['disallowedTools', { disallowedTools: ['bash'] }],
    ['autoApprove', { autoApprove: ['READ'] }],
    ['onToolTimeout', { onToolTimeout: 'stop' }],
    ['maxSubagentDepth', { maxSubagentDepth: 0 }],
    ['maxParallelSubagents', { maxParallelSubagents: 1.5 }],
    ['retryBudgetMs', { retryBudgetMs: -1 }],
    ['fallbackModel', { fallbackModel: ' ' }],
    ['fallbackModel.apiKey', { fallbackModel: { provider, model: 'm', apiKey: 'k' } }],
    ['fallbackModel.model', { fallbackModel: { provider, model: '' } }],
    ['fallbackModel.on[0]', { fallbackModel: { model: 'm', on: ['OVERLOADED'] } }],
    ['fallbackModel.on', { fallbackModel: { model: 'm', on: [] } }],
    ['fallbackModel', { fallbackModel: [] }],
    ['fallbackModel[1]', { fallbackModel: ['m', 7] }],
    ['fallbackModel[1].onn', { fallbackModel: ['m', { model: 'n', onn: ['MODEL_ERROR'] }] }],
    ['fallbackModel[1].model', { fallbackModel: ['n', { model: 'n', on: ['MODEL_ERROR'] }] }],
    ['fallbackModel[1].model', { fallbackModel: ['n', { model: 'n', provider }] }],
    ['fallbackModel.model', { fallbackModel: 'm' }],
    ['fallbackModel[1].model', { fallbackModel: ['n', { model: 'm', provider }] }],
    ['fallbackModel[0].provider.type', { fallbackModel: [{ model: 'm', provider: { type: 'none' } }] }],
    ['prices.m.output', { prices: { m: { input: 1 } } }],
    ['tracer', { tracer: { startSpan: () => undefined } }],
    ['recordContent', { recordContent: 'yes' }],
    ['reconcile', { reconcile: 'ask' }],
    ['validateHandlers', { validateHandlers: 'no' }],
    ['store', { store: {} }],
    ['store', { store: null }],
    ['env', { env: 'A=b' }],
    ['env', { env: null }],
    ['workspace', { workspace: {} }],
    ['metadata', { metadata: new Map([['a', 'b']]) }],
    ['outputFormat', { outputFormat: 'json' }],
    ['outputFormat.type', { outputFormat: { type: 'json', schema: objectSchema({}) } }],
    ['outputFormat.schema', { outputFormat: { type: 'json_schema', schema: { type: 'object' } } }],
    ['outputFormat.name', { outputFormat: { type: 'json_schema', schema: objectSchema({}), name: 'a b' } }],
    ['outputFormat.shema', { outputFormat: { type: 'json_schema', shema: objectSchema({}) } }],
    ['outputFormat.strict', { outputFormat: { type: 'json_schema', schema: objectSchema({}), strict: 1 } }],
    ['maxTurns', { maxTurns: 0 }],
    ['maxTurns', { maxTurns: '3' }],
    ['maxParallelTools', { maxParallelTools: 1.5 }],
    ['toolTimeout', { toolTimeout: -1 }],
    ['toolDiscovery', { toolDiscovery: 'never' }],
    ['toolDiscovery.threshold', { toolDiscovery: { threshold: 1 } }],
    ['toolDiscovery.maxResults', { toolDiscovery: { maxResults: 0 } }],
    ['maxToolOutputBytes', { maxToolOutputBytes: Number.NaN }],
    ['tools', { tools: 'Read' }],
    ['tools', { tools: [echoTool(), echoTool()] }],
    ['tools', { tools: [toolNamed('Bash', async () => '')] }],
    ['handlers', { handlers: {} }],
    ['handlers', { handlers: [{}] }],
    ['handlers', { handlers: [null] }],
    ['handlers', { handlers: [class Guard extends BaseAgentHandler {}], validateHandlers: true }],
    ['handlers', { handlers: [() => new BaseAgentHandler('guard')], validateHandlers: true }],
    ['wrapToolCal', { handlers: [{ name: 'guard', async *wrapToolCal() {} }] }],
    ['wrapToolCall', { handlers: [{ name: 'guard', wrapToolCall: null }] }],
    ['middlewares[0].beforeChatModl', { middlewares: [{ beforeChatModl: () => undefined }] }],
    ['middlewares', { middlewares: 'x' }],
    ['middlewares[0].additionalInstructions', { middlewares: [{ additionalInstructions: 'x' }] }],
    ['allowedTools', { allowedTools: 'Read' }],
    ['env.A', { env: { A: 1 } }],
    ['env.A=B', { env: { 'A=B': 'x' } }],
    ['env.A', { env: { A: 'x\0y' } }],
    ['workspace', { workspace: { ...memoryWorkspace(), cwd: 'relative' } }],
    ['cwd', { workspace: memoryWorkspace(), cwd: '/tmp' }],
    ['env', { workspace: memoryWorkspace(), env: { A: '1' } }],
    ['tools[0]', { tools: [null] }],
    ['sessionId', { sessionId: 'mine' }],
  ])('%s given as %j', async (field, options) => {
    await expect(make(options)).rejects.toMatchObject({ name: 'ValidationError', field });
  });

  it.each(['Bash(rm *)', 'Read(**/.env)', 7])('the rule %s among the names of allowedTools', async (rule) => {
    await expect(make({ allowedTools: [rule] })).rejects.toThrow(ValidationError);
  });

  it('a provider without a key and names the variable (S07e)', async () => {
    const key = process.env['OPENAI_API_KEY'];
    delete process.env['OPENAI_API_KEY'];

    await expect(make({ provider: { type: 'openai-compatible' } })).rejects.toMatchObject({
      name: 'AuthenticationError',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });

    if (key !== undefined) process.env['OPENAI_API_KEY'] = key;
  });

  it('no options at all', async () => {
    await expect(createSession(undefined as never)).rejects.toThrow(ValidationError);
    await expect(createSession(null as never)).rejects.toThrow(ValidationError);
  });

  it('nothing of what it supports, all at once', async () => {
    const all = {
      systemPrompt: 'x',
      maxTurns: 1,
      cwd: process.cwd(),
      permissionMode: 'plan',
      allowedTools: ['Read'],
      disallowedTools: [],
      tools: [],
      env: {},
      handlers: [],
      middlewares: [],
      validateHandlers: true,
      maxParallelTools: 1,
      toolTimeout: 1,
      maxToolOutputBytes: 1,
      reconcile: async () => undefined,
      outputFormat: undefined,
    };

    expect(resultOf(await say(await make(all), 'Begin.')).subtype).toBe('success');
  });

  it('nothing in a provider that is an instance of a class', async () => {
    class Models {
      readonly type = 'custom';
      readonly #reply = 'From a class.';
      createModel(name: string) {
        return scriptedModel([{ text: this.#reply }], { name });
      }
    }

    const session = await make({ provider: new Models() });

    expect(resultOf(await say(session, 'Begin.')).content).toBe('From a class.');
  });
});

describe('resumeSession() refuses', () => {
  it.each([undefined, 7, null])('the session id %s', async (sessionId) => {
    const options = { ...scriptedProvider([]), model: 'm', store: memoryStore(), sessionId } as never as {
      sessionId: string;
    };

    await expect(
      resumeSession({ provider, model: 'm', store: memoryStore(), sessionId: options.sessionId }),
    ).rejects.toThrow(ValidationError);
  });

  it.each(['', 'unknown', '../../etc/passwd', '__proto__'])('the unknown session %j (S03)', async (sessionId) => {
    await expect(resumeSession({ provider, model: 'm', store: memoryStore(), sessionId })).rejects.toMatchObject({
      name: 'SessionError',
      code: 'SESSION_NOT_FOUND',
    });
  });
});
