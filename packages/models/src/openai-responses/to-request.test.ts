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
import { RequestBytes } from '../wire/request-bytes.ts';
import { carried } from './carried-item.ts';
import { inputItems } from './input-items.ts';
import { isReasoningModel } from './reasoning-models.ts';
import { responsesFormat } from './to-request.ts';

const MODEL = 'gpt-5-mini';
const base = { id: '1', createdAt: '2026-11-21T00:00:00.000Z' };
const image: ImageBlock = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
const inputImage = { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' };
const user = (...content: UserMessage['content'][number][]): UserMessage => ({ ...base, role: 'user', content });
const tool = (...content: ToolResultBlock[]): ToolMessage => ({ ...base, role: 'tool', content });
type Block = AssistantMessage['content'][number];
const replyOf = (model: string, ...content: Block[]): AssistantMessage => ({
  ...base,
  role: 'assistant',
  content,
  provider: 'openai-compatible',
  model,
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'end',
});
const reply = (...content: Block[]) => replyOf(MODEL, ...content);
const result = (toolUseId: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => {
  return { type: 'tool_result', toolUseId, name: 'shot', output: `out ${toolUseId}`, isError: false, ...more };
};
const items = (message: Message, model = MODEL) => inputItems(message, model);

const said = (text: string, id = 'msg_1'): Block => ({
  type: 'text',
  text,
  providerData: carried({
    item: { id, type: 'message', role: 'assistant', content: [] },
    list: 'content',
    part: { type: 'output_text', text: '' },
  }),
});
const sealed = (secret: string | null): Block => ({
  type: 'thinking',
  text: '',
  providerData: carried({ item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: secret } }),
});
const called = (input: unknown, raw = ''): Block => ({
  type: 'tool_use',
  id: 'call_1',
  name: 'echo',
  input,
  providerData: carried({
    item: { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'echo', arguments: raw },
  }),
});
const wireSaid = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so' }] };
const wireSealed = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' };

describe('inputItems', () => {
  it('sends plain text of a user as a string, anything else as parts', () => {
    const item = { type: 'message', role: 'user' };

    expect(items(user({ type: 'text', text: 'a' }))).toEqual([{ ...item, content: 'a' }]);
    expect(items(user())).toEqual([{ ...item, content: '' }]);
    expect(items(user({ type: 'text', text: 'a' }, image))).toEqual([
      { ...item, content: [{ type: 'input_text', text: 'a' }, inputImage] },
    ]);
  });

  it('sends results with their images', () => {
    expect(
      items(tool(result('a'), result('b', { images: [image] }), result('c', { output: '', images: [image] }))),
    ).toEqual([
      { type: 'function_call_output', call_id: 'a', output: 'out a' },
      { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'out b' }, inputImage] },
      { type: 'function_call_output', call_id: 'c', output: [inputImage] },
    ]);
  });

  it('sends a reply of another provider as text and calls, without its thinking', () => {
    const providerData = { provider: 'anthropic', data: { signature: 's' } };
    const foreign = reply(
      { type: 'thinking', text: 'hm', providerData },
      { type: 'text', text: 'so', providerData },
      { type: 'text', text: ' it is' },
      { type: 'tool_use', id: 'toolu_1', name: 'echo', input: { text: 'hi' }, providerData },
    );

    expect(items(foreign)).toEqual([
      { type: 'message', role: 'assistant', content: 'so it is' },
      { type: 'function_call', call_id: 'toolu_1', name: 'echo', arguments: '{"text":"hi"}' },
    ]);
  });

  it('sends a reply of chat completions, of the same provider, in the same way', () => {
    const providerData = { provider: 'openai-compatible', data: { reasoning_content: 'hm', item: { id: 'x' } } };

    expect(
      items(reply({ type: 'thinking', text: 'hm', providerData }, { type: 'text', text: 'so', providerData })),
    ).toEqual([{ type: 'message', role: 'assistant', content: 'so' }]);
  });

  it.each([
    ['{"text": hi}', '"{\\"text\\": hi}"'],
    [undefined, '{}'],
    [null, 'null'],
  ])('sends the input %j as valid JSON', (input, json) => {
    expect(items(reply({ type: 'tool_use', id: 'c', name: 'echo', input }))).toMatchObject([{ arguments: json }]);
    expect(items(reply(called(input)))).toMatchObject([{ id: 'fc_1', arguments: json }]);
  });

  it('sends the arguments as they came, unless somebody has changed the input', () => {
    const raw = '{ "text": "hi" }';

    expect(items(reply(called({ text: 'hi' }, raw)))).toMatchObject([{ arguments: raw }]);
    expect(items(reply(called({ text: '***' }, raw)))).toMatchObject([{ arguments: '{"text":"***"}' }]);
  });

  it('leaves out a reply that says nothing', () => {
    expect(items(reply())).toEqual([]);
    expect(items(reply({ type: 'text', text: '' }))).toEqual([]);
  });

  it('sends encrypted reasoning with what follows it', () => {
    expect(items(reply(sealed('gAAA'), said('so')))).toEqual([wireSealed, wireSaid]);
  });

  it('keeps open reasoning, which some servers want back as text', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], content: [] };
    const part = { type: 'reasoning_text', text: '' };
    const open: Block = { type: 'thinking', text: 'hm', providerData: carried({ item, list: 'content', part }) };

    expect(items(reply(open, said('so')))[0]).toEqual({ ...item, content: [{ type: 'reasoning_text', text: 'hm' }] });
  });

  it.each([
    ['that the service has not encrypted', reply(sealed(null), said('so'), called({}))],
    ['for a model that does not reason', replyOf('o3', sealed('gAAA'), said('so'), called({})), 'gpt-4o'],
  ])('leaves out reasoning %s, and the ids of what follows', (_, message, model = MODEL) => {
    const { id: _id, ...nameless } = wireSaid;

    expect(items(message, model)).toEqual([
      nameless,
      { type: 'function_call', call_id: 'call_1', name: 'echo', arguments: '{}' },
    ]);
  });

  it('leaves out what stands on the server only, when its reasoning is missing', () => {
    const search: Block = {
      type: 'thinking',
      text: '',
      providerData: carried({ item: { id: 'ws_1', type: 'web_search_call', status: 'completed' } }),
    };

    expect(items(reply(sealed(null), search, said('so'))).length).toBe(1);
    expect(items(reply(sealed('gAAA'), search, said('so'))).length).toBe(3);
  });

  it('leaves out reasoning that nothing follows', () => {
    expect(items(reply(sealed('gAAA')))).toEqual([]);
    expect(items(reply(said('so'), sealed('gAAA')))).toEqual([wireSaid]);
  });

  it('takes reasoning from one reasoning model to another, and back to the model that made it', () => {
    expect(items(replyOf('o3', sealed('gAAA'), said('so')))).toEqual([wireSealed, wireSaid]);
    expect(items(replyOf('grok', sealed('gAAA'), said('so')), 'grok')).toEqual([wireSealed, wireSaid]);
  });

  it('mends lone surrogates', () => {
    const broken = 'a\ud83d';

    for (const message of [
      user({ type: 'text', text: broken }),
      reply(said(broken)),
      tool(result('a', { output: broken })),
    ])
      expect(JSON.stringify(items(message))).toContain('a\ufffd');
  });

  it.each([
    'null',
    '7',
    '{"api":"responses"}',
    '{"api":"responses","part":7,"list":"x"}',
    '{"api":"responses","item":7}',
  ])('survives the data %s, as of a damaged log', (json) => {
    const providerData = { provider: 'openai-compatible', data: JSON.parse(json) as unknown };

    expect(items(reply({ type: 'text', text: 'so', providerData }))).toEqual([
      { type: 'message', role: 'assistant', content: 'so' },
    ]);
  });
});

describe('responsesFormat', () => {
  const echo: Tool = {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: objectSchema({ text: { type: 'string', description: 'What.' } }),
    kind: 'readonly',
    effect: 'pure',
    parallelSafe: true,
    streaming: false,
    async *execute() {
      return { output: '', isError: false };
    },
  };
  const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
    instruction: 'Be brief.',
    messages: [user({ type: 'text', text: 'a' })],
    tools: [],
    signal: new AbortController().signal,
    ...more,
  });
  const bodyOf = (asked: ModelRequest, model = MODEL, extra?: Readonly<Record<string, unknown>>) =>
    JSON.parse(new RequestBytes(responsesFormat(model, extra)).bodyOf(asked).bytes.toString('utf8')) as unknown;

  it('writes tools that are not strict', () => {
    const { json: parameters } = echo.inputSchema;

    expect(bodyOf(request({ tools: [echo] }))).toMatchObject({
      tools: [{ type: 'function', name: 'echo', description: 'Says it again.', parameters, strict: false }],
    });
  });

  it('asks for an answer of a given form, beside what the host says of text', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const outputFormat = { name: 'answer', schema, strict: true };

    expect(bodyOf(request({ outputFormat }), MODEL, { text: { verbosity: 'low' } })).toMatchObject({
      text: { format: { type: 'json_schema', name: 'answer', schema, strict: true }, verbosity: 'low' },
    });
  });

  it('stores nothing, and leaves out an empty instruction', () => {
    expect(bodyOf(request({ instruction: '' }), 'gpt-4o')).toEqual({
      model: 'gpt-4o',
      stream: true,
      store: false,
      input: [{ type: 'message', role: 'user', content: 'a' }],
    });
  });

  it('gives way to the host', () => {
    expect(bodyOf(request(), MODEL, { store: true, include: [] })).toMatchObject({ store: true, include: [] });
  });
});

describe('isReasoningModel', () => {
  it.each([
    'o1',
    'o3-mini',
    'o4-mini',
    'gpt-5',
    'gpt-5.1-codex',
    'openai/gpt-5-mini',
    'codex-mini-latest',
    'ft:o4-mini:a',
  ])('knows %s', (name) => {
    expect(isReasoningModel(name)).toBe(true);
  });

  it.each([
    'gpt-4o',
    'gpt-4.1',
    'gpt-5-chat-latest',
    'openai/gpt-4o-mini',
    'ollama',
    'my-o3',
    'llama-3',
    'gpt-oss-20b',
  ])('does not ask %s for what it would refuse', (name) => {
    expect(isReasoningModel(name)).toBe(false);
  });
});
