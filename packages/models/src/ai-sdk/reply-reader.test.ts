import { APICallError, JSONParseError, LoadAPIKeyError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { askScripted, finish, type Said, ScriptedAiSdkModel, said } from '../../test/ai-sdk-scripted.ts';

const CALL = { type: 'tool-call', toolCallId: 'c1', toolName: 'echo', input: '{"text":"hi"}' };

async function replyOf(parts: Said, version = 'v4', provider = 'acme.chat') {
  return await askScripted(new ScriptedAiSdkModel(parts, { version, provider }), { tellsToolInput: true });
}

function apiError(facts: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({
    message: 'no',
    url: 'https://a.example',
    requestBodyValues: { key: 'a-secret-key' },
    ...facts,
  });
}

describe('the blocks of a reply', () => {
  it('stand in the order of their beginning, with the last that was said of each', async () => {
    const { value } = await replyOf([
      { type: 'reasoning-start', id: 'r', providerMetadata: { acme: { item: 1 } } },
      { type: 'text-start', id: 't' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'text-delta', id: 't', delta: 'So' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { acme: { signature: 's', none: undefined } } },
      { type: 'text-end', id: 't' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: ' be it.' },
      { type: 'text-start', id: 'empty' },
      { type: 'reasoning-start', id: 'sealed', providerMetadata: { acme: { sealed: 'x' } } },
      finish(),
    ]);

    const data = (said: object) => ({ providerData: { provider: 'ai-sdk/acme.chat', data: { acme: said } } });
    expect(value.content).toEqual([
      { type: 'thinking', text: 'Hm.', ...data({ signature: 's' }) },
      { type: 'text', text: 'So' },
      { type: 'text', text: ' be it.' },
      { type: 'thinking', text: '', ...data({ sealed: 'x' }) },
    ]);
    expect(value.usage).toEqual({ inputTokens: 9, outputTokens: 2, totalTokens: 11, cacheReadTokens: 4 });
  });

  it('are calls, their input told as it comes', async () => {
    const { events, value } = await replyOf([
      { type: 'tool-input-start', id: 'c1', toolName: 'echo' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"text":' },
      { type: 'tool-input-delta', id: 'c1', delta: '"hi"}' },
      { type: 'tool-input-end', id: 'c1' },
      { ...CALL, providerMetadata: { acme: { thought: 'x' } } },
      { ...CALL, toolCallId: '', input: '' },
      finish('tool-calls'),
    ]);

    expect(value.stopReason).toBe('tool_use');
    expect(value.content).toEqual([
      expect.objectContaining({ id: 'c1', input: { text: 'hi' }, providerData: expect.anything() }),
      { type: 'tool_use', id: expect.stringMatching(/^call_/), name: 'echo', input: {} },
    ]);
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      'tool_input_start',
      'tool_input_delta',
      'tool_input_delta',
      'tool_input_start',
    ]);
  });

  it('keep the text of an input that was cut, so that it fails its schema', async () => {
    const { value } = await replyOf([
      { type: 'tool-input-start', id: 'c1', toolName: 'echo' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"te' },
      finish('length'),
    ]);

    expect(value).toMatchObject({ stopReason: 'length', content: [{ type: 'tool_use', name: 'echo', input: '{"te' }] });
  });

  it('have the sources that the reply was made from', async () => {
    const { value } = await replyOf([
      said('So it is.'),
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example', title: 'A' },
      { type: 'source', sourceType: 'document', id: 'd', mediaType: 'application/pdf', title: 'B' },
      finish(),
    ]);

    expect(value.content).toEqual([
      { type: 'text', text: 'So it is.', sources: [{ url: 'https://a.example', title: 'A' }] },
    ]);
  });

  it.each([{ type: 'data', data: 'YQ==' }, { type: 'data', data: Buffer.from('a') }, 'YQ==', Buffer.from('a')])(
    'are pictures too, in each form of the specification: %j',
    async (data) => {
      const signed = { google: { thoughtSignature: 'sig' } };
      const file = { type: 'file', mediaType: 'image/png', data, providerMetadata: signed };

      const { value } = await replyOf([file, said('Here.'), finish()]);

      const providerData = { provider: value.provider, data: signed };
      expect(value.content).toEqual([
        { type: 'image', mediaType: 'image/png', data: 'YQ==', providerData },
        { type: 'text', text: 'Here.' },
      ]);
    },
  );

  it('leave out what a message cannot hold, and tell the host', async () => {
    const { events, value } = await replyOf([
      { type: 'response-metadata', id: 'r' },
      { type: 'custom', kind: 'anthropic.message_start' },
      { type: 'file', mediaType: 'audio/wav', data: { type: 'data', data: 'YQ==' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.example/b.png') } },
      { type: 'custom', kind: 'acme.compaction' },
      said('Here.'),
      finish(),
    ]);

    expect(value.content).toEqual([{ type: 'text', text: 'Here.' }]);
    expect(events.filter(({ type }) => type === 'notification')).toEqual([
      expect.objectContaining({ kind: 'model_warning', message: expect.stringContaining('file audio/wav') }),
      expect.objectContaining({ kind: 'model_warning', message: expect.stringContaining('file image/png') }),
      expect.objectContaining({ kind: 'model_warning', message: expect.stringContaining('custom acme.compaction') }),
    ]);
  });

  it.each([
    { ...CALL, providerExecuted: true },
    { type: 'tool-input-start', id: 'c1', toolName: 'search', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'c1', toolName: 'search', result: {} },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c1' },
  ])('are refused where the service has run a tool itself: $type', async (part) => {
    await expect(replyOf([part, finish()])).rejects.toThrow('has run a tool of its service');
  });
});

describe('the end of a reply', () => {
  it.each([
    ['v4', finish('stop'), 'end'],
    ['v4', finish('other', 'eos'), 'end'],
    ['v3', finish('content-filter'), 'refusal'],
    ['v2', { type: 'finish', finishReason: 'length', usage: {} }, 'length'],
  ])('%s: %j is %s', async (version, end, stopReason) => {
    expect((await replyOf([said('Hi'), end], version)).value.stopReason).toBe(stopReason);
  });

  it.each([
    [finish('interrupted'), 'STREAM_CUT', true],
    [finish('other'), 'STREAM_CUT', true],
    [{ type: 'finish', finishReason: 'unknown' }, 'STREAM_CUT', true],
    [{ type: 'finish' }, 'STREAM_CUT', true],
    [finish('error', 'MALFORMED_FUNCTION_CALL'), 'MODEL_ERROR', true],
    [finish('error'), 'MODEL_ERROR', true],
    [finish('paused'), 'MODEL_ERROR', false],
    [{ type: 'ping' }, 'STREAM_CUT', true],
  ])('%j is no reply: %s', async (end, code, retryable) => {
    await expect(replyOf([said('Hi'), end])).rejects.toMatchObject({ name: 'ModelError', code, retryable });
  });

  it.each([
    ['acme', { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 }, 9],
    ['anthropic.messages', { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 }, 13],
    ['anthropic.messages', { inputTokens: 9, outputTokens: 2, reasoningTokens: 1 }, 9],
  ])('has the usage of version 2 of %s: %j', async (provider, usage, inputTokens) => {
    const { value } = await replyOf([said('Hi'), { type: 'finish', finishReason: 'stop', usage }], 'v2', provider);

    expect(value.usage).toMatchObject({ inputTokens, totalTokens: inputTokens + 2, reasoningTokens: 1 });
  });

  it('has an estimate where nothing was reported', async () => {
    const { value } = await replyOf(
      [said('Hi'), { type: 'finish', finishReason: 'stop', usage: { outputTokens: 7 } }],
      'v2',
    );

    expect(value.usage).toMatchObject({ estimated: true });
  });
});

describe('warnings', () => {
  it.each([
    { type: 'unsupported', feature: 'seed', details: 'not for this model' },
    { type: 'unsupported-setting', setting: 'seed' },
    { type: 'unsupported-tool', tool: { name: 'seed' } },
  ])('about what is not supported refuse the reply: $type', async (warning) => {
    await expect(replyOf([{ type: 'stream-start', warnings: [warning] }, said('Hi'), finish()])).rejects.toMatchObject({
      message: expect.stringContaining('does not support seed'),
      retryable: false,
    });
  });

  it('of any other kind are told', async () => {
    const warnings = [{ type: 'other', message: 'Old.' }, { type: 'deprecated', setting: 'x', message: 'Use y.' }, 7];
    const { events } = await replyOf([{ type: 'stream-start', warnings }, said('Hi'), finish()]);

    expect(events.filter(({ type }) => type === 'notification')).toMatchObject([
      { kind: 'model_warning', message: 'ai-sdk/acme.chat: Old.' },
      { kind: 'model_warning', message: 'ai-sdk/acme.chat: x: Use y.' },
      { kind: 'model_warning' },
    ]);
    expect((await replyOf([{ type: 'stream-start' }, said('Hi'), finish()])).events).toHaveLength(1);
  });
});

describe('failures', () => {
  const network = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });

  it.each<[string, unknown, object]>([
    [
      'an answer',
      apiError({ statusCode: 429, responseHeaders: { 'Retry-After': '7' }, responseBody: '{}' }),
      { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 7, retryable: true },
    ],
    ['an answer without headers', apiError({ statusCode: 400 }), { code: 'MODEL_ERROR', retryable: false }],
    ['a body that breaks off', apiError({ statusCode: 200 }), { code: 'STREAM_CUT', retryable: true }],
    ['no answer', apiError({ cause: network }), { retryable: true }],
    ['no answer, wrapped twice', apiError({ cause: apiError({ statusCode: 500 }) }), { statusCode: 500 }],
    ['no answer for no reason', apiError({}), { message: expect.stringContaining('no') }],
    ['no JSON', new JSONParseError({ text: '{', cause: new Error('x') }), { code: 'STREAM_CUT', retryable: true }],
    ['no key', new LoadAPIKeyError({ message: 'set ACME_KEY' }), { code: 'AUTHENTICATION_ERROR', retryable: false }],
    [
      'a part it cannot write',
      new UnsupportedFunctionalityError({ functionality: 'audio' }),
      { retryable: false, message: expect.stringContaining('audio') },
    ],
    [
      'an error of the service',
      { error: { type: 'overloaded_error', message: 'busy' } },
      { code: 'MODEL_OVERLOADED', retryable: true },
    ],
    ['a text', 'busy', { name: 'ModelError' }],
  ])('%s in the stream is a typed error', async (_what, error, facts) => {
    await expect(replyOf([said('Hi'), { type: 'error', error }])).rejects.toMatchObject({
      name: 'ModelError',
      ...facts,
    });
  });

  it('that are thrown are typed, and do not show the key', async () => {
    const source = new ScriptedAiSdkModel([apiError({ statusCode: 401, responseBody: 'bad key a-secret-key' })]);

    const error: unknown = await askScripted(source, {}, { apiKey: 'a-secret-key' }).catch(
      (failure: unknown) => failure,
    );

    expect(error).toMatchObject({ code: 'AUTHENTICATION_ERROR', message: expect.stringContaining('bad key ***') });
    expect((error as Error).cause).toBeUndefined();
  });

  it('of our own reading are typed', async () => {
    const metadata = {
      toJSON: () => {
        throw new RangeError('too deep');
      },
    };

    await expect(
      replyOf([{ type: 'text-start', id: 't', providerMetadata: metadata }, finish()]),
    ).rejects.toMatchObject({ name: 'ModelError', message: expect.stringContaining('cannot be read: too deep') });
  });

  it('are aborts when the signal is aborted', async () => {
    const source = new ScriptedAiSdkModel([said('Hi'), finish()]);

    await expect(askScripted(source, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(source.asked).toEqual([]);
  });
});
