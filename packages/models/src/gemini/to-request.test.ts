import {
  type AssistantMessage,
  type ImageBlock,
  type Message,
  type ModelRequest,
  objectSchema,
  type Tool,
  type ToolMessage,
  type ToolResultBlock,
  type UserMessage,
} from '@x/core';
import { describe, expect, it } from 'vitest';
import { geminiFormat } from './to-request.ts';

const older = geminiFormat('gemini-2.0-flash');
const thinker = geminiFormat('models/gemini-2.5-pro');
const newest = geminiFormat('gemini-3-pro-preview');

const base = { id: '1', createdAt: '2026-11-21T00:00:00.000Z' };
const image: ImageBlock = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
const imagePart = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
const user = (...content: UserMessage['content'][number][]): UserMessage => ({ ...base, role: 'user', content });
const results = (...content: ToolResultBlock[]): ToolMessage => ({ ...base, role: 'tool', content });
const reply = (provider: string, ...content: AssistantMessage['content'][number][]): AssistantMessage => ({
  ...base,
  role: 'assistant',
  content,
  provider,
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'end',
});
const own = (...content: AssistantMessage['content'][number][]) => reply('gemini', ...content);
const foreign = (...content: AssistantMessage['content'][number][]) => reply('anthropic', ...content);
const data = (kept: object, provider = 'gemini') => ({ providerData: { provider, data: kept } });
const signed = data({ signature: 's/+==' });
const call = (id: string, input: unknown, more: object = {}) =>
  ({ type: 'tool_use', id, name: 'echo', input, ...more }) as const;
const result = (toolUseId: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => {
  return { type: 'tool_result', toolUseId, name: 'shot', output: `out ${toolUseId}`, isError: false, ...more };
};
const modelParts = (format: typeof older, message: Message) =>
  format.messages(message).map((content) => (content as { parts: unknown }).parts);
const madeHere = `call_${'0123456789abcdef'.repeat(2)}`;
const skip = 'skip_thought_signature_validator';

const weather: Tool = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: objectSchema({ city: { type: 'string', description: 'Where.' } }),
  kind: 'readonly',
  effect: 'pure',
  parallelSafe: true,
  streaming: false,
  async *execute() {
    return { output: '', isError: false };
  },
};
const outputFormat = {
  name: 'answer',
  schema: { type: 'object', properties: { n: { type: 'number' } } },
  strict: true,
} as const;
/** The body as JSON, without messages. */
function body(format: typeof older, more: Partial<ModelRequest> = {}): Record<string, unknown> {
  const { signal } = new AbortController();
  const request: ModelRequest = { instruction: 'Be brief.', messages: [], tools: [], signal, ...more };
  return JSON.parse(`${format.head(request, format.tools(request))}]}`) as Record<string, unknown>;
}

describe('geminiFormat', () => {
  it('sends the instruction and the tools, in the order in which they change', () => {
    const sent = body(older, { tools: [weather] });

    expect(sent).toEqual({
      tools: [
        {
          functionDeclarations: [
            { name: 'weather', description: 'Tells the weather.', parametersJsonSchema: weather.inputSchema.json },
          ],
        },
      ],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [],
    });
    expect(Object.keys(sent)).toEqual(['tools', 'systemInstruction', 'contents']);
    expect(body(older, { instruction: '' })).toEqual({ contents: [] });
  });

  it('makes the instruction the first message for a model that has no place for it', () => {
    expect(body(geminiFormat('gemma-3-27b-it'))).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }] }],
    });
  });

  it.each([
    ['gemini-2.5-pro', true],
    ['models/gemini-2.5-flash', true],
    ['gemini-3-pro-preview', true],
    ['gemini-3.8-flash', true],
    ['gemini-flash-latest', true],
    ['gemini-2.5-flash-lite', false],
    ['gemini-2.5-flash-image', false],
    ['gemini-2.0-flash', false],
    ['gemma-3-27b-it', false],
    ['tunedModels/mine', false],
  ])('asks %s for its thoughts: %s', (name, thinks) => {
    const config = thinks ? { thinkingConfig: { includeThoughts: true } } : undefined;

    expect(body(geminiFormat(name))['generationConfig']).toEqual(config);
  });

  it('joins the fields of the host with its own', () => {
    const extra = { generationConfig: { temperature: 0 }, safetySettings: [], toolConfig: { a: 1 } };
    const thinking = { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } };

    expect(body(geminiFormat('gemini-2.5-pro', extra), { tools: [weather] })).toMatchObject({
      ...extra,
      generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
    });
    expect(body(geminiFormat('gemini-2.5-pro', thinking))['generationConfig']).toEqual(thinking.generationConfig);
  });

  it.each([
    ['gemini-2.5-pro', []],
    ['gemini-3-pro-preview', [weather]],
  ])('asks %s for an answer of a given form in the mode of the service', (name, tools) => {
    const sent = body(geminiFormat(name), { outputFormat, tools });

    expect(sent['generationConfig']).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: outputFormat.schema,
    });
    expect(sent['toolConfig']).toBeUndefined();
    expect(JSON.stringify(sent['tools'] ?? '')).not.toContain('"answer"');
  });

  it('offers a final tool where tools and a form do not go together, and lets nothing but calls come', () => {
    const list = { ...outputFormat, schema: { type: 'array', items: { type: 'string' } } } as const;
    const named = { ...weather, name: 'answer' };

    const sent = body(thinker, { outputFormat, tools: [weather] });
    const wrapped = body(thinker, { outputFormat: list, tools: [named] });

    expect(sent).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      tools: [
        { functionDeclarations: [{ name: 'weather' }, { name: 'answer', parametersJsonSchema: outputFormat.schema }] },
      ],
    });
    expect(sent['generationConfig']).toEqual({ thinkingConfig: { includeThoughts: true } });
    expect(wrapped).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: 'answer' },
            { name: 'answer_2', parametersJsonSchema: { properties: { value: list.schema }, required: ['value'] } },
          ],
        },
      ],
    });
  });
});

describe('the contents', () => {
  it('are the text and the images of a user; empty text is left out, and a message never', () => {
    const text = { type: 'text', text: 'a' } as const;

    expect(older.messages(user(text, { type: 'text', text: '' }, image))).toEqual([
      { role: 'user', parts: [{ text: 'a' }, imagePart] },
    ]);
    expect(older.messages(user())).toEqual([{ role: 'user', parts: [{ text: ' ' }] }]);
  });

  it('are the parts of a reply in their order, with their signatures', () => {
    const part = { executableCode: { code: '1' }, thoughtSignature: 'x' };
    const empty = { text: '', thoughtSignature: 'y' };
    const message = own(
      { type: 'thinking', text: 'hm' },
      { type: 'thinking', text: 'so', ...signed },
      { type: 'thinking', text: '', ...data({ part }) },
      { type: 'text', text: 'a' },
      { type: 'text', text: '' },
      { type: 'text', text: 'b', ...signed },
      call('fc_1', { text: 'hi' }, signed),
      call('fc_2', {}),
      { type: 'thinking', text: '', ...data({ part: empty }) },
    );

    expect(newest.messages(message)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'so', thought: true, thoughtSignature: 's/+==' },
          part,
          { text: 'a' },
          { text: 'b', thoughtSignature: 's/+==' },
          { functionCall: { id: 'fc_1', name: 'echo', args: { text: 'hi' } }, thoughtSignature: 's/+==' },
          { functionCall: { id: 'fc_2', name: 'echo', args: {} } },
          empty,
        ],
      },
    ]);
  });

  it('drop what is of another provider, and keep what everybody reads', () => {
    const theirs = data({ signature: 'other' }, 'anthropic');
    const message = foreign(
      { type: 'thinking', text: 'hm' },
      { type: 'thinking', text: 'hm', ...theirs },
      { type: 'thinking', text: '', ...data({ part: { text: 'x' } }, 'openai-compatible') },
      { type: 'text', text: 'so', ...theirs },
      call('toolu_1', {}, theirs),
    );

    expect(modelParts(thinker, message)).toEqual([
      [{ text: 'so' }, { functionCall: { id: 'toolu_1', name: 'echo', args: {} } }],
    ]);
  });

  it('have the documented stand-in on the first call that nobody has signed, where signatures are checked', () => {
    const parts = modelParts(newest, foreign(call('a', {}), call('b', {})));
    const [unsigned] = modelParts(newest, own(call('a', {}), call('b', {}, signed))) as [unknown[]];

    expect(parts).toEqual([
      [
        { functionCall: { id: 'a', name: 'echo', args: {} }, thoughtSignature: skip },
        { functionCall: { id: 'b', name: 'echo', args: {} } },
      ],
    ]);
    expect(unsigned).toMatchObject([{ thoughtSignature: skip }, { thoughtSignature: 's/+==' }]);
    expect(JSON.stringify(modelParts(thinker, foreign(call('a', {}))))).not.toContain(skip);
  });

  it('leave out a reply that says nothing', () => {
    expect(older.messages(own())).toEqual([]);
    expect(older.messages(own({ type: 'text', text: '' }))).toEqual([]);
    expect(older.messages(own({ type: 'thinking', text: 'hm' }))).toEqual([]);
    expect(older.messages(foreign({ type: 'thinking', text: 'hm' }))).toEqual([]);
  });

  it.each([
    ['{"text": hi}', { input: '{"text": hi}' }],
    [undefined, {}],
    [null, {}],
    [[1], { input: [1] }],
    [{ a: 'cut \ud83d' }, { a: 'cut \ufffd' }],
  ])('have the input %j as an object', (input, args) => {
    expect(modelParts(older, own(call('c', input)))).toEqual([[{ functionCall: { id: 'c', name: 'echo', args } }]]);
  });

  it('have results in the order of the calls, errors as errors, and no id that the service has not given', () => {
    const message = results(result('fc_2'), result(madeHere, { isError: true, output: 'cut \ud83d' }));

    expect(modelParts(older, own(call(madeHere, {})))).toEqual([[{ functionCall: { name: 'echo', args: {} } }]]);
    expect(older.messages(message)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'fc_2', name: 'shot', response: { output: 'out fc_2' } } },
          { functionResponse: { name: 'shot', response: { error: 'cut \ufffd' } } },
        ],
      },
    ]);
  });

  it.each([
    ['functions.echo tool', 'functions.echo_tool'],
    ['default_api:run-1.x', 'default_api:run-1.x'],
    ['1st', '_1st'],
    ['\u{1F600}', '__'],
    ['', 'unnamed'],
    ['a'.repeat(200), 'a'.repeat(128)],
  ])('name a called %j as the service takes it, in call and result alike', (name, sent) => {
    expect(modelParts(older, foreign(call('c', {}, { name })))).toMatchObject([[{ functionCall: { name: sent } }]]);
    expect(modelParts(older, results(result('c', { name })))).toMatchObject([[{ functionResponse: { name: sent } }]]);
  });

  it('have the images of results inside of them, or after all of them for models that do not take them there', () => {
    const message = results(result('a', { images: [image] }), result('b'));
    const response = (id: string) => ({ id, name: 'shot', response: { output: `out ${id}` } });

    expect(modelParts(newest, message)).toEqual([
      [{ functionResponse: { ...response('a'), parts: [imagePart] } }, { functionResponse: response('b') }],
    ]);
    expect(modelParts(older, message)).toEqual([
      [{ functionResponse: response('a') }, { functionResponse: response('b') }],
      [{ text: 'Images of the result of shot (a):' }, imagePart],
    ]);
  });
});
