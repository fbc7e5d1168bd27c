import {
  type AssistantMessage,
  defineTool,
  type ModelOptions,
  type ModelRequest,
  objectSchema,
  userMessage,
} from '@x/core';
import { bedrock } from '@x/models/bedrock';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asking, look, NOVA } from './asking-bedrock.ts';
import { CONVERSE_STREAMS } from './converse-streams.ts';

const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const sse = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const begin = { messageStart: { role: 'assistant' } };
const stop = { messageStop: { stopReason: 'end_turn' } };
const delta = (contentBlockIndex: number | undefined, said: object) => ({
  contentBlockDelta: { ...(contentBlockIndex === undefined ? {} : { contentBlockIndex }), delta: said },
});

async function asked(
  body: string,
  request: Partial<ModelRequest> = {},
  form: 'chunk' | 'named' = 'named',
  name = NOVA,
) {
  const { ask, server, close } = await asking({ body }, form);
  onTestFinished(close);
  const reply = await ask(name, request);
  return { reply, sent: JSON.parse(server.requests[0]?.body ?? '{}') as Record<string, unknown> };
}

describe('replies of Converse', () => {
  it('hold a thought that only the service can read, which goes back as it came', async () => {
    const redactedContent = Buffer.from('sealed').toString('base64');
    const body = sse([begin, delta(0, { reasoningContent: { redactedContent } }), delta(1, { text: 'So.' }), stop]);

    const { reply } = await asked(body);
    const { sent } = await asked(CONVERSE_STREAMS.text, { messages: [userMessage('Hi'), reply, userMessage('And?')] });

    expect(reply.content[0]).toMatchObject({
      type: 'thinking',
      text: '',
      providerData: { data: { redacted: redactedContent } },
    });
    expect(JSON.stringify(sent['messages'])).toContain(JSON.stringify({ reasoningContent: { redactedContent } }));
  });

  it('are read without what most services say: indices, ids, usage, a reason, empty pieces', async () => {
    const call = { contentBlockStart: { contentBlockIndex: 3, start: { toolUse: { name: 'look' } } } };
    const body = sse([
      begin,
      { contentBlockStart: { contentBlockIndex: 0, start: {} } },
      delta(undefined, { text: 'a' }),
      delta(1, { text: '' }),
      delta(2, { reasoningContent: { text: '' } }),
      delta(5, { image: {} }),
      call,
      { unknownEvent: {} },
      { messageStop: {} },
      { metadata: {} },
    ]);

    const { reply } = await asked(body);

    expect(reply.content).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'tool_use', name: 'look', input: {} },
    ]);
    expect(reply).toMatchObject({ stopReason: 'tool_use', usage: { estimated: true } });
  });

  it('that are cut keep the text of an input that is not whole', async () => {
    const call = { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'a', name: 'look' } } } };
    const body = sse([
      begin,
      call,
      delta(0, { toolUse: { input: '{"at":"no' } }),
      { messageStop: { stopReason: 'max_tokens' } },
    ]);

    expect((await asked(body)).reply).toMatchObject({ stopReason: 'length', content: [{ input: '{"at":"no' }] });
  });

  it('over the format of Claude pass over events that it does not have', async () => {
    const { ask, close } = await asking({ body: sse([begin, stop]) }, 'named');
    onTestFinished(close);

    await expect(ask(CLAUDE)).rejects.toMatchObject({ code: 'STREAM_CUT' });
  });
});

describe('requests of Converse', () => {
  it('have files of text as text, documents by a name that is allowed, and ids that are', async () => {
    const data = Buffer.from('a,b').toString('base64');
    const content = [
      { type: 'file', mediaType: 'text/csv', data } as const,
      { type: 'file', mediaType: 'application/pdf', data } as const,
      { type: 'image', mediaType: 'image/JPG', data } as const,
    ];
    const reply: AssistantMessage = {
      ...(await asked(CONVERSE_STREAMS.call)).reply,
      content: [{ type: 'tool_use', id: 'functions.look:0', name: 'look at', input: {} }],
    };
    const told = {
      id: 't',
      role: 'tool' as const,
      createdAt: '2026-01-01T00:00:00Z',
      content: [
        { type: 'tool_result' as const, toolUseId: 'functions.look:0', name: 'look at', output: ' ', isError: false },
      ],
    };
    const api = { api: 'converse' } as const;
    const { ask, server, close } = await asking({ body: CONVERSE_STREAMS.text }, 'named', api);
    onTestFinished(close);

    await ask(CLAUDE, { messages: [{ ...userMessage('Hi'), content }, reply, told] });

    const said = JSON.parse(server.requests[0]!.body) as { messages: { content: Record<string, unknown>[] }[] };
    const [first, second, third] = said.messages.map((message) => message.content);
    expect(first).toMatchObject([
      { text: expect.stringContaining('a,b') },
      { document: { name: 'document' } },
      { image: { format: 'jpeg' } },
    ]);
    const [{ toolUse }] = second as [{ toolUse: { toolUseId: string; name: string } }];
    expect(toolUse).toMatchObject({ toolUseId: expect.stringMatching(/^call_[0-9a-f]{32}$/), name: 'look_at' });
    expect(third).toEqual([{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: '(no output)' }] } }]);
  });

  it.each<[NonNullable<ModelOptions['toolChoice']>, object]>([
    ['required', { any: {} }],
    ['auto', { auto: {} }],
  ])('choose a tool: %s', async (toolChoice, written) => {
    const plain = { ...look, description: ' ', inputSchema: { ...look.inputSchema, json: {} } };

    const { sent } = await asked(CONVERSE_STREAMS.text, { tools: [plain], instruction: '', options: { toolChoice } });

    expect(sent['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }],
      toolChoice: written,
    });
    expect(sent['system']).toBeUndefined();
  });

  it('that cannot be written fail for good', async () => {
    const deep = defineTool({
      name: 'deep',
      description: 'd',
      inputSchema: objectSchema({}),
      execute: async () => '',
    });
    const json = {
      type: 'object',
      get properties(): never {
        throw new TypeError('no such thing');
      },
    };
    const tools = [{ ...deep, inputSchema: { ...deep.inputSchema, json } }];

    await expect(asked(CONVERSE_STREAMS.text, { tools }, 'chunk', CLAUDE)).rejects.toMatchObject({ retryable: false });
  });

  it.each<[string, ModelOptions]>([
    ['reasoning', { reasoning: { budgetTokens: 2_000 } }],
    ['reasoning', { reasoning: 'off' }],
    ['toolChoice', { toolChoice: 'none' }],
    ['parallelToolCalls', { parallelToolCalls: false }],
    ['logprobs', { logprobs: true }],
  ])('have no %s: %j', (option, options) => {
    const model = bedrock({ contextWindow: 4_096 }).createModel(NOVA);

    expect(model.contextWindow).toBe(4_096);
    expect(() => model.checkOptions?.(options)).toThrow(`modelOptions.${option}`);
  });

  it.each([
    ['extraBody', { extraBody: [] as never }],
    ['contextWindow', { contextWindow: 0 }],
    ['region', { region: 7 as never }],
  ])('are refused with a wrong %s', (field, options) => {
    expect(() => bedrock(options)).toThrow(field);
  });
});

describe('errors of Bedrock', () => {
  const failing = (error: object) =>
    bedrock({ client: { send: () => Promise.reject(Object.assign(new Error('It failed'), error)) } });
  const { signal } = new AbortController();
  const request = { instruction: '', messages: [userMessage('Hi')], tools: [], signal };
  const ask = (provider: ReturnType<typeof bedrock>) => provider.createModel(NOVA).stream(request).next();

  it.each<[string, object, object]>([
    ['a timeout of the client', { name: 'TimeoutError' }, { retryable: true }],
    ['nobody who listens', { code: 'ECONNREFUSED' }, { retryable: true }],
    [
      'a region that is not there',
      { name: 'Error' },
      { retryable: false, message: expect.stringContaining('It failed') },
    ],
    [
      'no region, and what to set',
      { message: 'Region is missing' },
      { message: expect.stringContaining('AWS_REGION') },
    ],
    ['a login that has ended', { name: 'SSOTokenProviderFailure' }, { code: 'AUTHENTICATION_ERROR' }],
    [
      'too many requests',
      {
        name: 'ThrottlingException',
        $metadata: { httpStatusCode: 429, requestId: 'r-1' },
        $response: { headers: { 'Retry-After': '3' } },
      },
      { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 3, requestId: 'r-1' },
    ],
    ['an answer that broke off', { name: 'SyntaxError', $metadata: { httpStatusCode: 200 } }, { code: 'STREAM_CUT' }],
  ])('tell %s', async (_, error, facts) => {
    await expect(ask(failing(error))).rejects.toMatchObject({ provider: 'bedrock', ...facts });
  });

  it('say what to install', async () => {
    vi.doMock('@aws-sdk/client-bedrock-runtime', () => {
      throw new Error('Cannot find package');
    });
    onTestFinished(() => vi.doUnmock('@aws-sdk/client-bedrock-runtime'));

    await expect(ask(bedrock())).rejects.toThrow('npm');
  });
});
