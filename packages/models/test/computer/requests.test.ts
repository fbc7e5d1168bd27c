import { createOpenAI } from '@ai-sdk/openai';
import { ValidationError } from '@x/core';
import { createModel, type ProviderConfig } from '@x/models';
import { fromAiSdk } from '@x/models/ai-sdk';
import { computerTool } from '@x/models/computer';
import { circuitBreaker, routedModel } from '@x/models/routing';
import { vertex } from '@x/models/vertex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOVA, asking as onBedrock } from '../clouds/asking-bedrock.ts';
import { CONTRACT_SUBJECTS } from '../contract-subjects.ts';
import { echo } from '../features/exchange.ts';
import { anthropicCall, asking, CONFIGS, computer, geminiCall, responsesItem } from './reading.ts';

const execute = async () => undefined;
const display = { width: 1024, height: 768 };
const body = {
  anthropic: anthropicCall({ name: 'screenshot', input: {}, toolset_name: 'computer' }),
  responses: responsesItem({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }),
  gemini: geminiCall({ name: 'take_screenshot', args: {} }),
};
const toolsIn = ({ body: sent }: { readonly body: string }) => (JSON.parse(sent) as { tools: unknown[] }).tools;

describe('computerTool', () => {
  it.each([
    ['no options', undefined],
    ['no display', { execute }],
    ['no execute', { display }],
    ['no function', { display, execute: 'click' }],
    ['a width of nothing', { display: { ...display, width: 0 }, execute }],
    ['a negative height', { display: { ...display, height: -768 }, execute }],
    ['a fraction of a pixel', { display: { ...display, width: 1024.5 }, execute }],
    ['a text', { display: { ...display, width: '1024' }, execute }],
    ['an unknown option', { display, execute, zoom: true }],
    ['an unknown size', { display: { ...display, depth: 24 }, execute }],
  ])('refuses %s', (_what, options) => {
    expect(() => computerTool(options as never)).toThrow(ValidationError);
  });

  it.each([
    [{ actions: [] }, 'actions must be a list of actions that is not empty'],
    [{ actions: [{ type: 'zoom' }] }, 'actions[0].type must be one of'],
    [{ actions: [{ type: 'move', x: 1024, y: 0 }] }, 'actions[0].x must be a whole number from 0 to 1023'],
    [{ actions: [{ type: 'move', x: 1, y: -1 }] }, 'actions[0].y must be a whole number from 0 to 767'],
    [{ actions: [{ type: 'move', x: 1.5, y: 1 }] }, 'actions[0].x'],
    [{ actions: [{ type: 'key', keys: [] }] }, 'actions[0].keys'],
    [{ actions: [{ type: 'screenshot' }, { type: 'wait', seconds: -1 }] }, 'actions[1].seconds'],
    ['cut off', 'input must be'],
  ])('refuses a call as its schema: %j', (input, words) => {
    const { inputSchema } = computerTool({ display, execute });

    expect(() => inputSchema.parse(input)).toThrow(words);
  });
});

describe('a request with computer use', () => {
  it.each([
    ['claude-opus-5-5', 'computer_toolset_20260801'],
    ['claude-sonnet-5', 'computer_toolset_20260801'],
    ['claude-fable-5-1', 'computer_toolset_20260801'],
    ['anthropic/claude-opus-4.8', 'computer_toolset_20260801'],
    ['claude-opus-4-7', 'computer_20251124'],
    ['claude-sonnet-4-6', 'computer_20251124'],
    ['claude-opus-4-5-20251101', 'computer_20251124'],
    ['claude-sonnet-4-5', 'computer_20250124'],
    ['claude-haiku-4-5-20251001', 'computer_20250124'],
    ['claude-sonnet-4-20250514', 'computer_20250124'],
  ])('has the version of %s', async (model, type) => {
    const { sent } = await asking({ config: CONFIGS.anthropic, model, body: body.anthropic });

    expect(toolsIn(sent)).toMatchObject([{ type, cache_control: { type: 'ephemeral' } }]);
    expect(sent.headers['anthropic-beta']).toBe(
      { computer_20251124: 'computer-use-2025-11-24', computer_20250124: 'computer-use-2025-01-24' }[type],
    );
  });

  it('has the beta beside those of the host and of servers, and no request without the tool has it', async () => {
    const config = (url: string): ProviderConfig => {
      return { type: 'anthropic', apiKey: 'k', baseUrl: url, headers: { 'anthropic-beta': 'files-1' } };
    };
    const serviceTools = [{ type: 'mcp', name: 'a', url: 'https://a.b' }] as const;
    const claude = { config, model: 'claude-sonnet-4-5', body: body.anthropic };

    const { sent } = await asking({ ...claude, options: { serviceTools } });
    const plain = await asking({ ...claude, tools: [echo] });

    expect(sent.headers['anthropic-beta']).toBe('files-1, mcp-client-2025-11-20, computer-use-2025-01-24');
    expect(plain.sent.headers['anthropic-beta']).toBe('files-1');
  });

  it('has the other tools beside it', async () => {
    const tools = [echo, computer];
    const { sent } = await asking({ config: CONFIGS.responses, model: 'gpt-5.4', body: body.responses, tools });
    const gemini = await asking({ config: CONFIGS.gemini, model: 'gemini-3.5-flash', body: body.gemini, tools });

    expect(toolsIn(sent)).toMatchObject([{ type: 'function', name: 'echo' }, { type: 'computer' }]);
    expect(toolsIn(gemini.sent)).toMatchObject([
      { functionDeclarations: [{ name: 'echo' }] },
      { computerUse: { environment: 'ENVIRONMENT_DESKTOP' } },
    ]);
  });

  it.each([
    ['chat completions', { type: 'openai-compatible' }, 'gpt-5.4'],
    ['a model without', { type: 'openai-compatible', api: 'responses' }, 'gpt-5.2'],
    ['the smallest model', { type: 'openai-compatible', api: 'responses' }, 'gpt-5.4-nano'],
    ['the earlier preview', { type: 'openai-compatible', api: 'responses' }, 'computer-use-preview'],
    ['a deployment', { type: 'azure-openai', api: 'responses' }, 'gpt-5.4'],
    ['an old Claude', { type: 'anthropic' }, 'claude-3-7-sonnet-latest'],
    ['a model behind the same API', { type: 'anthropic' }, 'kimi-k2'],
    ['a Gemini for browsers', { type: 'gemini' }, 'gemini-2.5-computer-use-preview-10-2025'],
  ] as const)('is refused by name for %s, and nothing is sent', async (_what, config, model) => {
    const given = (url: string) => ({ ...config, apiKey: 'k', baseUrl: url }) as ProviderConfig;

    expect(createModel(given('http://localhost'), model).usesComputer).toBeUndefined();
    await expect(asking({ config: given, model, body: '' })).rejects.toThrow(
      `the tool computer is not taken by ${model}`,
    );
  });

  it('is refused by name on Bedrock, and through the AI SDK', async () => {
    const { ask, close } = await onBedrock({ body: '' }, 'chunk');
    onTestFinished(close);
    const sdk = fromAiSdk(createOpenAI({ apiKey: 'k', baseURL: 'http://localhost' }).responses('gpt-5.4'));
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [], tools: [computer], signal };

    for (const name of [NOVA, 'anthropic.claude-opus-5-v1:0']) {
      await expect(ask(name, { tools: [computer] })).rejects.toThrow(`the tool computer is not taken by ${name}`);
    }
    await expect(sdk.createModel('gpt-5.4').stream(request).next()).rejects.toThrow('is not taken by gpt-5.4');
  });

  it('is there on Vertex AI for models whose tool is no beta', () => {
    const provider = vertex({ project: 'p', location: 'global', accessToken: () => 't' });
    const uses = (name: string) => provider.createModel(name).usesComputer ?? false;

    expect(['claude-opus-5-5', 'claude-sonnet-4-6', 'gemini-3.5-flash', 'gemini-2.5-pro'].map(uses)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(CONTRACT_SUBJECTS['vertex claude']).toBeDefined();
  });

  it('cannot be forced: the service names the calls itself', () => {
    const model = createModel({ type: 'anthropic', apiKey: 'k' }, 'claude-opus-5');
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [], tools: [computer], signal };

    expect(() => model.stream({ ...request, options: { toolChoice: { tool: 'computer' } } })).toThrow(
      'modelOptions.toolChoice cannot ask claude-opus-5 for computer',
    );
  });

  it('is for a route where every model has it', () => {
    const [one, two] = ['claude-opus-5', 'claude-3-haiku-20240307'].map((name) =>
      createModel({ type: 'anthropic', apiKey: 'k' }, name),
    );

    expect(routedModel([{ model: one! }]).usesComputer).toBe(true);
    expect(routedModel([{ model: one! }, { model: two! }]).usesComputer).toBeUndefined();
    expect(circuitBreaker().guard(one!, 'a').usesComputer).toBe(true);
  });
});
