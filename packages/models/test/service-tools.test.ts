import { type AssistantMessage, type ModelOptions, type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel } from '@x/models';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { echo } from './features/exchange.ts';
import { PROVIDERS, type Provider } from './features/providers.ts';

const providerOf = (name: string) => PROVIDERS.find((one) => one.name === name)!;
const sse = (events: readonly object[], named = false) =>
  events
    .map((data) => `${named ? `event: ${(data as { type: string }).type}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    .join('');

const SEARCH = { type: 'server_tool_use', id: 'srv_1', name: 'web_search' };
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srv_1',
  content: [{ type: 'web_search_result', url: 'https://a.b' }],
};
const FAILED = {
  type: 'web_fetch_tool_result',
  tool_use_id: 'srv_2',
  content: { type: 'web_fetch_tool_result_error', error_code: 'x' },
};
const anthropicStream = sse(
  [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { ...SEARCH, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query":' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '"x"}' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: FOUND },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { ...SEARCH, id: 'srv_2', name: 'web_fetch', input: {} } },
    { type: 'content_block_stop', index: 2 },
    { type: 'content_block_start', index: 3, content_block: FAILED },
    { type: 'content_block_stop', index: 3 },
    { type: 'content_block_start', index: 4, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 4, delta: { type: 'text_delta', text: 'Found.' } },
    { type: 'content_block_stop', index: 4 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ],
  true,
);
const CALL = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
const CODE = { id: 'ci_1', type: 'code_interpreter_call', status: 'failed', code: '1/0' };
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Found.', annotations: [] }],
};
const responsesStream = sse([
  { type: 'response.output_item.added', output_index: 0, item: { ...CALL, status: 'in_progress', action: undefined } },
  { type: 'response.output_item.done', output_index: 0, item: CALL },
  { type: 'response.output_item.added', output_index: 1, item: { ...CODE, status: 'in_progress' } },
  { type: 'response.output_item.done', output_index: 1, item: CODE },
  { type: 'response.output_item.done', output_index: 2, item: MESSAGE },
  { type: 'response.completed', response: { id: 'r', status: 'completed', output: [CALL, CODE, MESSAGE] } },
]);
const geminiStream = sse([
  {
    candidates: [
      {
        content: {
          parts: [
            { executableCode: { id: 'c1', code: 'print(1)', language: 'PYTHON' } },
            { codeExecutionResult: { id: 'c1', outcome: 'OUTCOME_OK', output: '1' } },
            { executableCode: { id: 'c2', code: '1/0', language: 'PYTHON' } },
            { codeExecutionResult: { id: 'c2', outcome: 'OUTCOME_FAILED', output: 'zero' } },
            { toolCall: { id: 's1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['x'] } } },
            { toolResponse: { id: 's1', toolType: 'GOOGLE_SEARCH_WEB', response: {} } },
            { text: 'Found.' },
          ],
        },
        finishReason: 'STOP',
      },
    ],
  },
]);
const SUBJECTS = [
  {
    name: 'anthropic',
    stream: anthropicStream,
    steps: [
      { name: 'web_search', id: 'srv_1', state: 'called', input: { query: 'x' } },
      { name: 'web_search', id: 'srv_1', state: 'done' },
      { name: 'web_fetch', id: 'srv_2', state: 'called', input: {} },
      { name: 'web_fetch', id: 'srv_2', state: 'failed' },
    ],
    more: [],
    back: [{ ...SEARCH, input: { query: 'x' } }, FOUND, FAILED],
    uses: { web_search: 1, web_fetch: 1 },
  },
  {
    name: 'responses',
    stream: responsesStream,
    steps: [
      { name: 'web_search', id: 'ws_1', state: 'done', input: { type: 'search', query: 'x' } },
      { name: 'code_interpreter', id: 'ci_1', state: 'failed', input: '1/0' },
    ],
    more: [
      { name: 'web_search', id: 'ws_1', state: 'called' },
      { name: 'code_interpreter', id: 'ci_1', state: 'called', input: '1/0' },
    ],
    back: [CALL, CODE],
    uses: { web_search: 1, code_interpreter: 1 },
  },
  {
    name: 'gemini',
    stream: geminiStream,
    steps: [
      { name: 'code_execution', id: 'c1', state: 'called', input: 'print(1)' },
      { name: 'code_execution', id: 'c1', state: 'done' },
      { name: 'code_execution', id: 'c2', state: 'called', input: '1/0' },
      { name: 'code_execution', id: 'c2', state: 'failed' },
      { name: 'google_search_web', id: 's1', state: 'called', input: { queries: ['x'] } },
      { name: 'google_search_web', id: 's1', state: 'done' },
    ],
    more: [],
    back: [{ executableCode: { id: 'c1', code: 'print(1)', language: 'PYTHON' } }],
    uses: { code_execution: 2, google_search_web: 1 },
  },
] as const;

async function asking<T>(
  provider: Provider,
  body: string,
  work: (ask: (asked?: Partial<ModelRequest>) => ReturnType<typeof answerOf>, sent: () => string[]) => Promise<T>,
): Promise<T> {
  const server = await wireServer({ body });
  const model = createModel(provider.config(server.url), provider.model);
  try {
    const ask = (asked: Partial<ModelRequest> = {}) => answerOf(model, asked);
    return await work(ask, () => server.requests.map((request) => request.body));
  } finally {
    await server.close();
  }
}

async function answerOf(model: ReturnType<typeof createModel>, asked: Partial<ModelRequest>) {
  const { signal } = new AbortController();
  return await collect(model.stream({ instruction: '', messages: [userMessage('Hi')], tools: [], signal, ...asked }));
}

const stepsOf = ({ content }: AssistantMessage) =>
  content.flatMap((block) => (block.type === 'thinking' && block.serviceTool ? [block.serviceTool] : []));

describe.each(SUBJECTS)('tools of the service of $name', ({ name, stream, steps, more, back, uses }) => {
  const provider = providerOf(name);

  it('are steps of the reply, and go back to the service as they came', async () => {
    const { reply, bodies } = await asking(provider, stream, async (ask, sent) => {
      const first = await ask();
      await ask({ messages: [userMessage('Hi'), first.value, userMessage('And?')] });
      return { reply: first.value, bodies: sent() };
    });

    expect(stepsOf(reply)).toEqual(steps);
    expect(reply.usage.serviceToolUses).toEqual(uses);
    for (const block of back) expect(JSON.parse(bodies[1] ?? '')).toEqual(holding(block));
  });

  it('are told while they work, to requests that ask for it alone', async () => {
    const told = await asking(provider, stream, async (ask) => {
      const { events } = await ask({ tellsToolInput: true });
      const { events: without } = await ask();
      return { events, without };
    });

    const tools = told.events.flatMap((event) => (event.type === 'service_tool' ? [event] : []));
    const expected = [...steps, ...more].map((step) => ({ type: 'service_tool', ...step }));
    expect(tools).toHaveLength(expected.length);
    expect(tools).toEqual(expect.arrayContaining(expected));
    expect(told.without.map(({ type }) => type)).not.toContain('service_tool');
  });

  it('are in the next request when they are asked for in the middle of a conversation', async () => {
    const serviceTools: ModelOptions['serviceTools'] = [{ type: 'code_execution' }];
    const tools = [echo];

    const bodies = await asking(provider, stream, async (ask, sent) => {
      await ask({ tools });
      await ask({ tools, options: { serviceTools } });
      await ask({ tools, options: {} });
      return sent();
    });

    expect(bodies.map((body) => /code_?(execution|interpreter)/i.test(body))).toEqual([false, true, false]);
  });
});

describe('bounds of a search', () => {
  const search = {
    type: 'web_search',
    allowedDomains: ['a.example'],
    place: { city: 'Paris', country: 'FR' },
  } as const;

  it.each([
    [
      'anthropic',
      { ...search, maxUses: 2 },
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', city: 'Paris', country: 'FR' },
      },
    ],
    [
      'anthropic',
      { type: 'web_fetch', blockedDomains: ['b.example'] },
      { type: 'web_fetch_20250910', name: 'web_fetch', blocked_domains: ['b.example'] },
    ],
    [
      'responses',
      search,
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        user_location: { type: 'approximate', city: 'Paris', country: 'FR' },
      },
    ],
  ] as const)('are written for %s', async (name, tool, written) => {
    const { stream } = SUBJECTS.find((one) => one.name === name)!; // one of them

    const body = await asking(providerOf(name), stream, async (ask, sent) => {
      await ask({ options: { serviceTools: [tool] } });
      return JSON.parse(sent()[0] ?? '') as object;
    });

    expect(body).toMatchObject({ tools: [written] });
  });

  it.each([
    ['responses', { type: 'web_search', maxUses: 1 }, 'maxUses'],
    ['responses', { type: 'web_search', blockedDomains: ['a.b'] }, 'blockedDomains'],
    ['gemini', { type: 'web_search', maxUses: 1 }, 'maxUses'],
    ['gemini', { type: 'web_fetch', allowedDomains: ['a.b'] }, 'allowedDomains'],
    ['gemini', { type: 'web_search', place: { city: 'Paris' } }, 'place'],
  ] as const)('that %s does not know are refused: %j', (name, tool, word) => {
    const { config, model } = providerOf(name);
    const made = createModel(config('http://127.0.0.1:9'), model);

    expect(() => made.checkOptions?.({ serviceTools: [tool] })).toThrow(word);
  });

  it('beside calls of tools is said to Gemini from 3 on', async () => {
    const body = await asking(providerOf('gemini'), geminiStream, async (ask, sent) => {
      await ask({ tools: [echo], options: { serviceTools: [{ type: 'web_search' }] } });
      return JSON.parse(sent()[0] ?? '') as object;
    });

    expect(body).toMatchObject({ toolConfig: { includeServerSideToolInvocations: true } });
  });
});

/** Matches a value that has a part of these fields, at any depth. */
function holding(part: object): unknown {
  return {
    asymmetricMatch: (value: unknown): boolean => isIn(value, part),
    toString: () => `holding ${JSON.stringify(part)}`,
  };
}

function isIn(value: unknown, part: object): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const text = JSON.stringify(part);
  return JSON.stringify(value) === text || Object.values(value).some((inner) => isIn(inner, part));
}
