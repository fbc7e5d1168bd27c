import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { costOf, createModel, priceOf } from '@x/models';
import { bedrock } from '@x/models/bedrock';
import { type WireAnswer, wireServer } from '@x/models/testing';
import { vertex } from '@x/models/vertex';
import { describe, expect, it } from 'vitest';
import { echo } from './features/exchange.ts';
import { PROVIDERS } from './features/providers.ts';
import { anthropicReply, response, said } from './talk.ts';

const TOKEN = 'token-of-a-server-4711';
const server = { type: 'mcp', name: 'docs', url: 'https://docs.example/mcp' } as const;
const options = { serviceTools: [{ ...server, authorization: TOKEN }] } as const;
const input = { server: 'docs', tool: 'look', arguments: { at: 1 } };

const LISTING = { type: 'mcp_tool_listing', mcp_server_name: 'docs', tools: [{ name: 'look' }] };
const USE = { type: 'mcp_tool_use', id: 'mcpu_1', server_name: 'docs', name: 'look', input: { at: 1 } };
const RESULT = {
  type: 'mcp_tool_result',
  tool_use_id: 'mcpu_1',
  is_error: false,
  content: [{ type: 'text', text: 'a' }],
};
const BROKEN = { type: 'mcp_tool_result', tool_use_id: 'mcpu_2', is_error: true, content: 'no' };
const LIST = {
  id: 'mcpl_1',
  type: 'mcp_list_tools',
  server_label: 'docs',
  tools: [{ name: 'look', input_schema: {} }],
};
const CALL = { id: 'mcp_1', type: 'mcp_call', server_label: 'docs', name: 'look', arguments: '{"at":1}', output: 'a' };
const WRONG = { ...CALL, id: 'mcp_2', output: null, error: 'no', status: 'failed' };
const ASKED = { id: 'mcpr_1', type: 'mcp_approval_request', server_label: 'docs', name: 'drop', arguments: '{}' };

const WIRES = {
  anthropic: {
    answer: anthropicReply(
      [[LISTING], [USE], [RESULT], [{ ...USE, id: 'mcpu_2' }], [BROKEN], [{ type: 'text', text: 'A.' }]],
      'end_turn',
    ),
    back: [LISTING, USE, RESULT, { ...USE, id: 'mcpu_2' }, BROKEN, { type: 'text', text: 'A.' }],
    steps: [
      { name: 'mcp', id: 'mcpu_1', state: 'called', input },
      { name: 'mcp', id: 'mcpu_1', state: 'done' },
      { name: 'mcp', id: 'mcpu_2', state: 'called', input },
      { name: 'mcp', id: 'mcpu_2', state: 'failed' },
    ],
  },
  responses: {
    answer: response(LIST, CALL, WRONG, ASKED, said('msg_1', 'A.')),
    back: [LIST, CALL, WRONG, expect.objectContaining({ type: 'message', role: 'assistant' })],
    steps: [
      { name: 'mcp', id: 'mcp_1', state: 'done', input },
      { name: 'mcp', id: 'mcp_2', state: 'failed', input },
    ],
  },
};
type Name = keyof typeof WIRES;
const NAMES = Object.keys(WIRES) as Name[]; // safe: its keys

async function asking(name: Name, answer: WireAnswer, requests: readonly Partial<ModelRequest>[]) {
  const provider = PROVIDERS.find((one) => one.name === name)!; // each name here is one of them
  const wire = await wireServer(answer);
  const model = createModel(provider.config(wire.url), provider.model);
  const { signal } = new AbortController();
  const replies: AssistantMessage[] = [];
  try {
    for (const asked of requests) {
      const request = { instruction: '', messages: [userMessage('Hi')], tools: [], signal, ...asked };
      replies.push((await collect(model.stream(request))).value);
    }
    return { replies, sent: wire.requests };
  } finally {
    await wire.close();
  }
}
const stepsOf = ({ content }: AssistantMessage) =>
  content.flatMap((block) => (block.type === 'thinking' && block.serviceTool ? [block.serviceTool] : []));

describe.each(NAMES)('servers that the service of %s talks to', (name) => {
  const { answer, back, steps } = WIRES[name];

  it('are steps of the reply, and go back as they came; requests for approval, which nobody can answer, do not', async () => {
    const { replies } = await asking(name, answer, [{ options }]);
    const [reply] = replies as [AssistantMessage]; // one was asked for

    expect(stepsOf(reply)).toEqual(steps);
    expect(reply.usage.serviceToolUses).toEqual({ mcp: 2 });
    const messages = [userMessage('Hi'), reply, userMessage('And?')];
    const { sent } = await asking(name, answer, [{ messages, options }]);
    const body = JSON.parse(sent[0]?.body ?? '') as { messages?: { content: object[] }[]; input?: object[] };
    expect(body.messages?.[1]?.content ?? body.input?.slice(1, -1)).toEqual(back);
  });

  it('cost nothing but their tokens', async () => {
    const { replies } = await asking(name, answer, [{ options }]);
    const { usage, model } = replies[0]!; // one was asked for

    expect(costOf(usage, priceOf(model) ?? { input: 1, output: 1 })).toEqual(expect.any(Number));
  });

  it('are not named with their tokens in errors', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ error: { message: `The server refuses ${TOKEN}`, type: 'invalid_request_error' } });

    const failure: unknown = await asking(name, { status: 400, headers, body }, [{ options }]).catch((error) => error);

    expect(failure).toMatchObject({ name: 'ModelError', message: expect.stringContaining('The server refuses ***') });
    expect(JSON.stringify(failure)).not.toContain(TOKEN);
  });
});

describe('a server in the words of', () => {
  const bounded = { serviceTools: [{ ...server, authorization: TOKEN, allowedTools: ['look'] }] } as const;

  it('the messages API has a field, a set of tools and a header, also where only the history has it', async () => {
    const { answer } = WIRES.anthropic;
    const { replies, sent } = await asking('anthropic', answer, [
      { tools: [echo] },
      { tools: [echo], options: bounded },
    ]);
    const messages = [userMessage('Hi'), replies[1]!, userMessage('And?')];
    const later = await asking('anthropic', answer, [{ messages }]);

    expect(JSON.parse(sent[1]?.body ?? '')).toMatchObject({
      mcp_servers: [{ type: 'url', name: 'docs', url: server.url, authorization_token: TOKEN }],
      tools: [
        { name: 'echo' },
        {
          type: 'mcp_toolset',
          mcp_server_name: 'docs',
          default_config: { enabled: false },
          configs: { look: { enabled: true } },
        },
      ],
    });
    const betas = [...sent, ...later.sent].map(({ headers }) => headers['anthropic-beta']);
    expect(betas).toEqual([undefined, 'mcp-client-2025-11-20', 'mcp-client-2025-11-20']);
  });

  it('the messages API is counted with its header, and its token is not in an error about the count', async () => {
    const headers = { 'content-type': 'application/json' };
    await using wire = await wireServer((_request, number) =>
      number === 1
        ? { headers, body: '{"input_tokens":7}' }
        : { status: 400, headers, body: JSON.stringify({ error: { message: `refused: ${TOKEN}` } }) },
    );
    const provider = PROVIDERS.find(({ name }) => name === 'anthropic')!; // it is one of them
    const model = createModel(provider.config(wire.url), provider.model);
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hi')], tools: [], signal, options: bounded };

    expect(await model.countTokens?.(request)).toBe(7);
    await expect(model.countTokens?.(request)).rejects.toThrow('refused: ***');
    expect(wire.requests[0]?.headers['anthropic-beta']).toBe('mcp-client-2025-11-20');
    expect(JSON.parse(wire.requests[0]?.body ?? '')).toMatchObject({ mcp_servers: [{ name: 'docs' }] });
  });

  it('responses is a tool that needs no approval', async () => {
    const headers = { 'x-team': 'a' };
    const { sent } = await asking('responses', WIRES.responses.answer, [
      {
        options: {
          serviceTools: [
            { ...bounded.serviceTools[0], headers },
            { ...server, name: 'more' },
          ],
        },
      },
    ]);

    const told = { type: 'mcp', server_url: server.url, require_approval: 'never' };
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      tools: [
        { ...told, server_label: 'docs', authorization: TOKEN, headers, allowed_tools: ['look'] },
        { ...told, server_label: 'more' },
      ],
    });
  });

  it.each([
    ['bedrock', bedrock({ region: 'eu-west-1' }).createModel('anthropic.claude-sonnet-4-5-20250929-v1:0')],
    ['vertex', vertex({ project: 'p', location: 'global' }).createModel('claude-sonnet-4-5@20250929')],
  ])('Claude on a cloud, which has none, is refused by name: %s', (_name, made) => {
    expect(() => made.checkOptions?.({ serviceTools: [server] })).toThrow('mcp');
    expect(() => made.checkOptions?.({ serviceTools: [{ type: 'web_search' }] })).not.toThrow();
  });

  it.each([
    ['anthropic', { headers: { 'x-key': 'k' } }, 'headers'],
    ['gemini', {}, 'mcp'],
    ['chat', {}, 'serviceTools'],
  ] as const)('another is refused by name: %s %j', (name, fields, word) => {
    const provider = PROVIDERS.find((one) => one.name === name)!; // each name here is one of them
    const made = createModel(provider.config('http://127.0.0.1:9'), provider.model);

    expect(() => made.checkOptions?.({ serviceTools: [{ ...server, ...fields }] })).toThrow(word);
  });
});
