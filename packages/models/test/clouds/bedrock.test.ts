import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { textOf, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { bedrock } from '@x/models/bedrock';
import type { WireRequest, WireServer } from '@x/models/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONTRACT_SUBJECTS } from '../contract-subjects.ts';
import { type Answer, asking, look, NOVA } from './asking-bedrock.ts';
import { CONVERSE_STREAMS } from './converse-streams.ts';
import { eventStreamProxy } from './event-stream-proxy.ts';

const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
async function asked(...args: Parameters<typeof asking>) {
  const made = await asking(...args);
  onTestFinished(made.close);
  return made;
}
const bodyOf = ({ requests }: WireServer, at = 0) => JSON.parse(requests[at]?.body ?? '{}') as Record<string, unknown>;
const { text: CLAUDE_TEXT } = CONTRACT_SUBJECTS['vertex claude'].streams;
const { text: TEXT, call: CALL, thinking: THINKING = '' } = CONVERSE_STREAMS;

afterEach(() => vi.unstubAllEnvs());

describe('bedrock', () => {
  it('asks Claude in its own format, signed by the official client', async () => {
    const { ask, server } = await asked({ body: CLAUDE_TEXT }, 'chunk', { extraBody: { top_k: 3 } });

    const reply = await ask(CLAUDE, { options: { maxOutputTokens: 9 } });

    const [{ path, headers }] = server.requests as [WireRequest];
    expect(path).toBe(`/model/${encodeURIComponent(CLAUDE)}/invoke-with-response-stream`);
    expect(headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/bedrock\//);
    const sent = bodyOf(server);
    expect(sent).toMatchObject({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 9, top_k: 3 });
    expect(Object.keys(sent).filter((field) => ['model', 'stream', 'cache_control'].includes(field))).toEqual([]);
    expect(reply).toMatchObject({ provider: 'bedrock', model: CLAUDE });
  });

  it('asks all others over Converse, with the options in its words', async () => {
    const { ask, server } = await asked({ body: TEXT }, 'named', { extraBody: { requestMetadata: { team: 'a' } } });

    const reply = await ask(NOVA, {
      options: {
        maxOutputTokens: 9,
        temperature: 0.5,
        topP: 0.9,
        stopSequences: ['END'],
        reasoning: { effort: 'low' },
        toolChoice: { tool: 'look' },
        serviceTier: 'flex',
        cache: { ttl: '1h' },
      },
    });

    expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(NOVA)}/converse-stream`);
    const point = { cachePoint: { type: 'default', ttl: '1h' } };
    expect(bodyOf(server)).toEqual({
      inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      outputConfig: { effort: 'low' },
      serviceTier: { type: 'flex' },
      requestMetadata: { team: 'a' },
      system: [{ text: 'Be brief.' }, point],
      toolConfig: {
        tools: [
          { toolSpec: { name: 'look', description: 'Looks.', inputSchema: { json: look.inputSchema.json } } },
          point,
        ],
        toolChoice: { tool: { name: 'look' } },
      },
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    });
    expect(textOf(reply)).toBe('Good morning to you.');
    expect(reply.usage).toEqual({ inputTokens: 11, outputTokens: 7, totalTokens: 18 });
  });

  it('speaks to Claude over Converse where the host wants it, and gives its thoughts back with their signature', async () => {
    const { ask, server } = await asked({ body: THINKING }, 'named', { api: 'converse' });
    const first = await ask(CLAUDE);

    await ask(CLAUDE, { messages: [userMessage('Hi'), first, userMessage('And?')] });

    expect(first.content[0]).toMatchObject({ type: 'thinking', text: 'Let me think.' });
    const reasoningText = { text: 'Let me think.', signature: 'c2ln' };
    expect(bodyOf(server, 1)['messages']).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ reasoningContent: { reasoningText } }, { text: 'So be it.' }] },
      { role: 'user', content: [{ text: 'And?' }] },
    ]);
  });

  it('sends results, pictures and documents as Converse wants them', async () => {
    const { ask } = await asked({ body: CALL }, 'named');
    const called = await ask(NOVA);
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
    const pdf = { type: 'file', mediaType: 'application/pdf', data: 'aGk=', name: 'a_plan.pdf' } as const;
    const told = toolMessage(called, [{ output: 'seen', isError: true, images: [image] }]);

    const named = 'us.anthropic.claude-opus-4-8-v1:0';
    const { ask: other, server: of } = await asked({ body: TEXT }, 'named', { api: 'converse' });
    await other(named, { messages: [{ ...userMessage('Hi'), content: [pdf] }, called, told, userMessage('So?')] });

    const source = { bytes: 'aGk=' };
    expect(bodyOf(of)['messages']).toEqual([
      {
        role: 'user',
        content: [{ text: '(a document)' }, { document: { format: 'pdf', name: 'a-plan-pdf', source } }],
      },
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'tooluse_echo_0', name: 'echo', input: { text: 'ab' } } }],
      },
      {
        role: 'user',
        content: [
          {
            toolResult: {
              toolUseId: 'tooluse_echo_0',
              content: [{ text: 'seen' }, { image: { format: 'png', source } }],
              status: 'error',
            },
          },
          { text: 'So?' },
        ],
      },
    ]);
  });

  it('tells the input of a call as it comes, to requests that ask for it', async () => {
    const { server, close } = await asking({ body: CALL }, 'named');
    onTestFinished(close);
    const proxy = await eventStreamProxy(server.url, 'named');
    onTestFinished(proxy.close);
    const client = new BedrockRuntimeClient({
      region: 'eu-west-1',
      endpoint: proxy.url,
      token: async () => ({ token: 'k' }),
      authSchemePreference: ['httpBearerAuth'],
    });
    onTestFinished(() => client.destroy());
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hi')], tools: [look], signal, tellsToolInput: true };

    const { events } = await collect(bedrock({ client }).createModel(NOVA).stream(request));

    expect(events[0]).toEqual({ type: 'tool_input_start', id: 'tooluse_echo_0', name: 'echo' });
    const told = events.flatMap((event) => (event.type === 'tool_input_delta' ? [event.delta] : []));
    expect(told.join('')).toBe('{"text":"ab"}');
  });

  it.each<[string, Answer, object]>([
    [
      'throttled',
      { status: 429, body: '{"error":{"message":"Too many"}}' },
      { code: 'RATE_LIMIT_EXCEEDED', retryable: true },
    ],
    ['denied', { status: 403, body: '{"error":{"message":"No"}}' }, { statusCode: 403, retryable: false }],
    [
      'failed in the middle',
      { body: `data: {"messageStart":{"role":"assistant"}}\n\ndata: {"throttlingException":{"message":"Slow"}}\n\n` },
      { retryable: true },
    ],
    [
      'ended by a malformed call',
      {
        body: `data: {"messageStart":{"role":"assistant"}}\n\ndata: {"messageStop":{"stopReason":"malformed_tool_use"}}\n\n`,
      },
      { retryable: true },
    ],
    ['cut', { body: TEXT.slice(0, 200) }, { code: 'STREAM_CUT', retryable: true }],
  ])('says of a call that was %s what a session needs to know', async (_, answer, facts) => {
    const { ask } = await asked(answer, 'named');

    await expect(ask(NOVA)).rejects.toMatchObject({ name: 'ModelError', provider: 'bedrock', ...facts });
  });

  it('says that there are no credentials, and asks nobody', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_BEARER_TOKEN_BEDROCK']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/no/such/file');
    vi.stubEnv('AWS_CONFIG_FILE', '/no/such/file');
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hi')], tools: [], signal };

    const asking = collect(bedrock({ region: 'eu-west-1' }).createModel(NOVA).stream(request));

    await expect(asking).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR', retryable: false });
  });

  it.each<[string, () => unknown, string]>([
    ['an unknown option', () => bedrock({ regoin: 'eu' } as never), 'region'],
    ['a region that is none', () => bedrock({ region: 'eu/west' }), 'region'],
    ['a client that is none', () => bedrock({ client: {} as never }), 'client'],
    [
      'a region beside a client',
      () => bedrock({ client: { send: async () => undefined }, region: 'eu-west-1' }),
      'region',
    ],
    ['another way to speak', () => bedrock({ api: 'chat' as never }), 'api'],
    ['fields of requests', () => bedrock({ extraBody: { messages: [] } }).createModel(NOVA), 'messages'],
    [
      'the same of Claude',
      () => bedrock({ extraBody: { anthropic_version: '1' } }).createModel(CLAUDE),
      'anthropic_version',
    ],
    ['no name', () => bedrock().createModel(' '), 'model'],
    [
      'an option that Converse lacks',
      () => bedrock().createModel(NOVA).checkOptions?.({ seed: 1 }),
      'modelOptions.seed',
    ],
    [
      'a tool of the service',
      () =>
        bedrock()
          .createModel(NOVA)
          .checkOptions?.({ serviceTools: [{ type: 'web_search' }] }),
      'modelOptions.serviceTools',
    ],
    [
      'an option that extraBody says too',
      () =>
        bedrock({ extraBody: { inferenceConfig: { topP: 1 } } })
          .createModel(NOVA)
          .checkOptions?.({ topP: 0.5 }),
      'say the same',
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(message);
  });
});
