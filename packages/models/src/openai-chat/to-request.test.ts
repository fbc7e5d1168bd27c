import { readFileSync } from 'node:fs';
import type { AssistantMessage, ImageBlock, ThinkingBlock, ToolMessage, ToolResultBlock, UserMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ChatReplyReader } from './from-stream.ts';
import { chatFormat } from './to-request.ts';

const wireMessages = chatFormat('m').messages;

const base = { id: '1', createdAt: '2026-11-21T00:00:00.000Z' };
const image: ImageBlock = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
const imageUrl = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
const user = (...content: UserMessage['content'][number][]): UserMessage => ({ ...base, role: 'user', content });
const tool = (...content: ToolResultBlock[]): ToolMessage => ({ ...base, role: 'tool', content });
const assistant = (...content: AssistantMessage['content'][number][]): AssistantMessage => ({
  ...base,
  role: 'assistant',
  content,
  provider: 'anthropic',
  model: 'claude',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'end',
});
/** A block of thinking that came from here, with its data. */
const own = (data: unknown, text = ''): ThinkingBlock => {
  return { type: 'thinking', text, providerData: { provider: 'openai-compatible', data } };
};
/** A reply of the model that is asked, as it goes back. */
const toOwn = (...content: AssistantMessage['content'][number][]) => {
  return wireMessages({ ...assistant(...content), provider: 'openai-compatible', model: 'm' });
};
const result = (toolUseId: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => {
  return { type: 'tool_result', toolUseId, name: 'shot', output: `out ${toolUseId}`, isError: false, ...more };
};

describe('wireMessages', () => {
  it('sends plain text as a string, anything else as parts', () => {
    expect(wireMessages(user({ type: 'text', text: 'a' }))).toEqual([{ role: 'user', content: 'a' }]);
    expect(wireMessages(user())).toEqual([{ role: 'user', content: '' }]);
    expect(wireMessages(user({ type: 'text', text: 'a' }, image))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }, imageUrl] },
    ]);
  });

  it('sends calls with their input as JSON, and null where there is no text', () => {
    const wire = wireMessages(assistant({ type: 'tool_use', id: 'c', name: 'echo', input: { text: 'hi' } }));

    expect(wire).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'echo', arguments: '{"text":"hi"}' } }],
      },
    ]);
  });

  it.each([
    ['{"text": hi}', '"{\\"text\\": hi}"'],
    [undefined, '{}'],
    [null, 'null'],
  ])('sends the input %j as valid JSON', (input, json) => {
    const [wire] = wireMessages(assistant({ type: 'tool_use', id: 'c', name: 'echo', input }));

    expect(wire).toMatchObject({ tool_calls: [{ function: { arguments: json } }] });
  });

  it('drops thinking and the data of other providers', () => {
    const providerData = { provider: 'anthropic', data: { signature: 's' } };
    const wire = wireMessages(
      assistant({ type: 'thinking', text: 'hm', providerData }, { type: 'text', text: 'so', providerData }),
    );

    expect(wire).toEqual([{ role: 'assistant', content: 'so' }]);
  });

  it('sends thinking back to the model that thought, in the field it came in, while its calls are answered', () => {
    const thinking = own({ field: 'reasoning_content' }, 'hm');
    const call = { type: 'tool_use', id: 'c', name: 'echo', input: {} } as const;

    expect(toOwn(thinking, thinking, call)).toMatchObject([{ reasoning_content: 'hmhm', content: null }]);
    expect(toOwn(own({ field: 'reasoning' }, 'hm'), call)).toMatchObject([{ reasoning: 'hm' }]);
    expect(toOwn(thinking, { type: 'text', text: 'so' })).toEqual([{ role: 'assistant', content: 'so' }]);
  });

  it('sends thinking back with its seal, and some only with it', () => {
    const said = { type: 'text', text: 'so' } as const;
    const sealed = own({ field: 'reasoning_text', message: { reasoning_opaque: 's' } }, 'hm');
    const call = { type: 'tool_use', id: 'c', name: 'echo', input: {} } as const;

    expect(toOwn(sealed, said)).toEqual([
      { role: 'assistant', content: 'so', reasoning_text: 'hm', reasoning_opaque: 's' },
    ]);
    expect(toOwn(own({ field: 'reasoning_text' }, 'hm'), call)[0]).not.toHaveProperty('reasoning_text');
  });

  it.each(['reasoning_details', 'thinking_blocks', 'extra_content'])(
    'sends %s back unchanged, instead of the text',
    (field) => {
      const value = [{ type: 'x', data: 'ZW5j', id: null }];

      expect(toOwn(own({ field: 'reasoning', message: { [field]: value } }), { type: 'text', text: 'so' })).toEqual([
        { role: 'assistant', content: 'so', [field]: value },
      ]);
    },
  );

  it('sends back with a call what came with it', () => {
    const extra_content = { google: { thought_signature: 'c2ln' } };
    const providerData = { provider: 'openai-compatible', data: { extra_content, id: 'other', type: 'other' } };

    expect(toOwn({ type: 'tool_use', id: 'c', name: 'echo', input: {}, providerData })).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'echo', arguments: '{}' }, extra_content }],
      },
    ]);
  });

  it.each([
    ['another model', { model: 'other' }, 'openai-compatible'],
    ['another provider', { provider: 'azure-openai' }, 'openai-compatible'],
    ['another provider, by the data', {}, 'azure-openai'],
  ])('sends nothing of it to %s', (_, reply, dataOf) => {
    const data = { field: 'reasoning', message: { reasoning_details: [1] }, extra_content: {} };
    const providerData = { provider: dataOf, data };
    const message = assistant(
      { type: 'thinking', text: 'hm', providerData },
      { type: 'tool_use', id: 'c', name: 'echo', input: {}, providerData },
    );

    expect(wireMessages({ ...message, provider: 'openai-compatible', model: 'm', ...reply })).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'echo', arguments: '{}' } }],
      },
    ]);
  });

  it.each([
    { role: 'user' },
    { message: { role: 'user', content: 'x' } },
    7,
    null,
    { field: 'content' },
    { field: '__proto__' },
  ])('sends nothing of data that is not its own: %j', (data) => {
    expect(toOwn(own(data), { type: 'tool_use', id: 'c', name: 'echo', input: {} })).toEqual([
      expect.objectContaining({ role: 'assistant', content: null }),
    ]);
    expect(Object.keys(toOwn(own(data), { type: 'text', text: 'so' })[0] ?? {})).toEqual(['role', 'content']);
  });

  it('gives a name to a call that came without one', () => {
    expect(toOwn({ type: 'tool_use', id: 'c', name: '', input: {} })).toMatchObject([
      { tool_calls: [{ function: { name: 'unknown' } }] },
    ]);
  });

  it('gives a call of a tool that cannot exist a name that services take', () => {
    expect(toOwn({ type: 'tool_use', id: 'c', name: 'functions.echo tool', input: {} })).toMatchObject([
      { tool_calls: [{ function: { name: 'functions_echo_tool' } }] },
    ]);
  });

  it('reads back byte-equal what was sent, through the log', () => {
    const bytes = readFileSync(new URL('../../test/wire/openai-chat/reasoning-details.sse', import.meta.url), 'utf8');
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [], tools: [], signal };
    const reader = new ChatReplyReader({
      model: 'm',
      request,
      context: { provider: 'openai-compatible', apiKey: 'k' },
    });
    reader.push(bytes);
    const message = JSON.parse(JSON.stringify(reader.message())) as AssistantMessage;

    expect(JSON.stringify(wireMessages(message))).toBe(
      JSON.stringify([
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'toolu_a1', type: 'function', function: { name: 'echo', arguments: '{"text":"hi"}' } }],
          reasoning_details: [
            {
              type: 'reasoning.text',
              text: 'First, think.',
              format: 'anthropic-claude-v1',
              index: 0,
              signature: 'c2lnbg==',
            },
            { type: 'reasoning.encrypted', data: 'ZW5j', format: 'anthropic-claude-v1', index: 1, id: null },
          ],
        },
      ]),
    );
  });

  it('leaves out a reply that says nothing, such as one interrupted before its first word', () => {
    expect(wireMessages(assistant())).toEqual([]);
    expect(wireMessages(assistant({ type: 'thinking', text: 'hm' }))).toEqual([]);
  });

  it('sends the results one by one, then their images', () => {
    const wire = wireMessages(
      tool(result('a', { images: [image] }), result('b'), result('c', { images: [image, image] })),
    );

    expect(wire).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'out a' },
      { role: 'tool', tool_call_id: 'b', content: 'out b' },
      { role: 'tool', tool_call_id: 'c', content: 'out c' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Images of the result of shot (a):' },
          imageUrl,
          { type: 'text', text: 'Images of the result of shot (c):' },
          imageUrl,
          imageUrl,
        ],
      },
    ]);
  });

  it('replaces lone surrogates, which services refuse', () => {
    const [wire] = wireMessages(tool(result('a', { output: 'cut \ud83d' })));

    expect(wire).toMatchObject({ content: 'cut \ufffd' });
    const { signal } = new AbortController();
    const head = chatFormat('m').head({ instruction: 'x\udc00', messages: [], tools: [], signal }, '');
    expect(JSON.parse(`${head}]}`)).toMatchObject({ messages: [{ role: 'system', content: 'x\ufffd' }] });
  });
});

describe('chatFormat', () => {
  const { signal } = new AbortController();
  const headOf = (outputFormat: { name: string; schema: object; strict: boolean }): unknown => {
    const request = {
      instruction: 'x',
      messages: [],
      tools: [],
      signal,
      outputFormat: { ...outputFormat, schema: { ...outputFormat.schema } },
    };
    return JSON.parse(`${chatFormat('m').head(request, '')}]}`);
  };
  const schema = { type: 'object', properties: { a: { type: 'string' } } };

  it('asks for structured output in the words of the service', () => {
    expect(headOf({ name: 'out', schema, strict: false })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'out', schema, strict: false } },
    });
    expect(headOf({ name: 'out', schema, strict: true })).toMatchObject({
      response_format: {
        json_schema: {
          strict: true,
          schema: { properties: { a: { type: ['string', 'null'] } }, required: ['a'], additionalProperties: false },
        },
      },
    });
  });

  it('refuses a strict schema that the service cannot express', () => {
    expect(() => headOf({ name: 'out', schema: { type: 'object', additionalProperties: true }, strict: true })).toThrow(
      /additionalProperties at the root/,
    );
  });
});
