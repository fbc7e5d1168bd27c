import { type AssistantMessage, defineTool, type ModelRequest, objectSchema, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { costOf, createModel } from '@x/models';
import { bedrock } from '@x/models/bedrock';
import { routedModel } from '@x/models/routing';
import { wireServer } from '@x/models/testing';
import { vertex } from '@x/models/vertex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { echo } from './features/exchange.ts';

const toolNamed = (name: string) =>
  defineTool({
    name,
    description: `${name}.`,
    inputSchema: objectSchema({ id: { type: 'string', description: 'Which.' } }),
    execute: async () => '',
  });
const [parcel, letter] = [toolNamed('print_parcel'), toolNamed('print_letter')] as const;
const sse = (events: readonly { readonly type: string }[]) =>
  events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('');

const SEARCH = { type: 'server_tool_use', id: 'srv_1', name: 'tool_search_tool_bm25', input: { query: 'print' } };
const FOUND = {
  type: 'tool_search_tool_result',
  tool_use_id: 'srv_1',
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: 'print_parcel' }],
  },
};
const USE = { type: 'tool_use', id: 'toolu_1', name: 'print_parcel', input: { id: '7' } };
const ASKED = { type: 'tool_search_call', id: 'tsc_1', call_id: null, execution: 'server', status: 'completed' };
const OUTPUT = {
  type: 'tool_search_output',
  id: 'tso_1',
  call_id: null,
  execution: 'server',
  status: 'completed',
  tools: [{ type: 'namespace', name: 'print', tools: [{ type: 'function', name: 'print_parcel' }] }],
};
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'print_parcel', arguments: '{"id":"7"}' };
const SERVICES = [
  {
    name: 'anthropic',
    config: (url: string) => ({ type: 'anthropic', apiKey: 'k', baseUrl: url }) as const,
    model: 'claude-sonnet-4-5',
    older: ['claude-opus-4-1', 'claude-3-7-sonnet-latest'],
    newer: ['claude-opus-5', 'anthropic/claude-haiku-4.5'],
    stream: sse([
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
      ...[SEARCH, FOUND, USE].flatMap((content_block, index) => [
        { type: 'content_block_start', index, content_block },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ] as { type: string }[]),
    steps: [
      { name: 'tool_search', id: 'srv_1', state: 'called', input: { query: 'print' } },
      { name: 'tool_search', id: 'srv_1', state: 'done', found: ['print_parcel'] },
    ],
    searches: [SEARCH, FOUND],
    written: (names: readonly string[]) => [
      { name: 'echo' },
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25', cache_control: { type: 'ephemeral' } },
      ...names.map((name) => ({ name, defer_loading: true })),
    ],
  },
  {
    name: 'responses',
    config: (url: string) =>
      ({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${url}/v1`, api: 'responses' }) as const,
    model: 'gpt-5.4',
    older: ['gpt-5', 'gpt-5.3-codex', 'o3', 'gpt-5.4-chat-latest', 'some-model'],
    newer: ['gpt-5.4-mini', 'openai/gpt-6', 'gpt-5.10'],
    stream: sse([
      ...[ASKED, OUTPUT, CALL].map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [ASKED, OUTPUT, CALL] } },
    ] as { type: string }[]),
    steps: [
      { name: 'tool_search', state: 'called' },
      { name: 'tool_search', state: 'done', found: ['print_parcel'] },
    ],
    searches: [ASKED, OUTPUT],
    written: (names: readonly string[]) => [
      { name: 'echo' },
      { type: 'tool_search' },
      ...names.map((name) => ({ type: 'function', name, defer_loading: true })),
    ],
  },
] as const;

interface Body {
  readonly tools?: readonly Record<string, unknown>[];
  readonly messages?: unknown;
  readonly input?: unknown;
}

async function asking({ config, model, stream }: (typeof SERVICES)[number]) {
  const server = await wireServer({ body: stream });
  onTestFinished(() => server.close());
  const made = createModel(config(server.url), model);
  const { signal } = new AbortController();
  const usual = { instruction: '', messages: [userMessage('Hi')], tools: [echo], signal };
  return {
    ask: async (asked: Partial<ModelRequest> = {}) => (await collect(made.stream({ ...usual, ...asked }))).value,
    bodies: () => server.requests.map(({ body }) => JSON.parse(body) as Body),
  };
}

const talk = (reply: AssistantMessage) => [
  userMessage('Hi'),
  reply,
  {
    id: 't1',
    role: 'tool' as const,
    createdAt: '2026-01-01T00:00:00Z',
    content: reply.content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, toolUseId: block.id, name: block.name, output: 'Printed.', isError: false }]
        : [],
    ),
  },
];

describe.each(SERVICES)('deferred tools over $name', (service) => {
  const deferredTools = [parcel, letter];

  it('follow the others and the search of the service, each marked, and only in requests that have them', async () => {
    const { ask, bodies } = await asking(service);

    await ask();
    await ask({ deferredTools });
    await ask({ deferredTools: [letter] });
    await ask();

    const [without, two, one, again] = bodies().map(({ tools }) => tools);
    expect(two).toEqual(service.written(['print_parcel', 'print_letter']).map((one) => expect.objectContaining(one)));
    expect(one).toEqual(service.written(['print_letter']).map((one) => expect.objectContaining(one)));
    expect(two?.filter((tool) => tool['defer_loading'] && tool['cache_control'])).toEqual([]);
    expect(without).toEqual([expect.objectContaining({ name: 'echo' })]);
    expect(again).toEqual(without);
  });

  it('that were found are steps of the reply, whose searches cost their tokens alone', async () => {
    const { ask } = await asking(service);

    const { content, usage } = await ask({ deferredTools });

    expect(content.flatMap((block) => (block.type === 'thinking' ? [block.serviceTool] : []))).toEqual(service.steps);
    expect(content.at(-1)).toMatchObject({ type: 'tool_use', name: 'print_parcel', input: { id: '7' } });
    expect(usage.serviceToolUses).toEqual({ tool_search: 1 });
    expect(costOf(usage, { input: 1, output: 1, uses: { web_search: 1 } })).toBeLessThan(0.1);
  });

  it('keep their searches in the history as long as the request has all that they found', async () => {
    const { ask, bodies } = await asking(service);
    const messages = talk(await ask({ deferredTools }));

    await ask({ messages, deferredTools });
    await ask({ messages, deferredTools: [letter] });
    await ask({ messages });
    await ask({ messages, deferredTools: [letter], tools: [echo, parcel] });

    const said = bodies().map(({ messages: own, input }) => JSON.stringify(own ?? input));
    const kept = said.map((text) => service.searches.map((block) => text.includes(JSON.stringify(block))));
    expect(kept.slice(1)).toEqual([
      [true, true],
      [false, false],
      [false, false],
      [true, true],
    ]);
    expect(said.slice(1).filter((text) => !text.includes('Printed.') || !text.includes('"print_parcel"'))).toEqual([]);
  });

  it('are for the models whose service has the search', () => {
    const defers = (name: string) => createModel(service.config('http://127.0.0.1:9'), name).defersTools ?? false;

    expect([service.model, ...service.newer].map(defers)).not.toContain(false);
    expect(service.older.map(defers)).not.toContain(true);
  });
});

describe('deferred tools elsewhere', () => {
  it.each([
    { type: 'gemini', apiKey: 'k' },
    { type: 'openai-compatible', apiKey: 'k', baseUrl: 'http://127.0.0.1:9' },
  ] as const)('are not for $type, whatever the model', (config) => {
    expect(createModel(config, 'gpt-5.4').defersTools).toBeUndefined();
  });

  it('are not for Claude on a cloud, where nothing is known of its search', () => {
    const name = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

    expect(bedrock({ region: 'eu-west-1' }).createModel(name).defersTools).toBeUndefined();
    expect(vertex({ project: 'p' }).createModel('claude-sonnet-4-5@20250929').defersTools).toBeUndefined();
  });

  it('are for several models together if they are for each', () => {
    const [claude, older] = ['claude-sonnet-4-5', 'claude-opus-4-1'].map((name) =>
      createModel({ type: 'anthropic', apiKey: 'k' }, name),
    );
    const gpt = createModel({ type: 'openai-compatible', apiKey: 'k', api: 'responses' }, 'gpt-5.4');

    expect(routedModel([{ model: claude! }, { model: gpt }]).defersTools).toBe(true);
    expect(routedModel([{ model: claude! }, { model: older! }]).defersTools).toBeUndefined();
  });
});
