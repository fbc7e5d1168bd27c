import type { AssistantMessage, ImageBlock, ToolMessage, ToolResultBlock, UserMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
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
