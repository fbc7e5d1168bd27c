import type { ToolResultBlock, UserMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  base,
  call,
  contentOf,
  image,
  say,
  sent,
  thought,
  wireImage,
} from '../../test/requests/anthropic.ts';

const user = (...content: UserMessage['content'][number][]): UserMessage => ({ ...base, role: 'user', content });
const result = (toolUseId: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => {
  return { type: 'tool_result', toolUseId, name: 'shot', output: `out ${toolUseId}`, isError: false, ...more };
};

describe('the messages', () => {
  it('are text and images', () => {
    expect(sent(user(say('a'), image))).toEqual([{ role: 'user', content: [say('a'), wireImage] }]);
    expect(contentOf(user({ ...image, mediaType: 'image/JPG' }))).toMatchObject([
      { source: { media_type: 'image/jpeg' } },
    ]);
    expect(contentOf(user({ ...image, mediaType: 'image/svg+xml' }))).toMatchObject([{ type: 'text' }]);
  });

  it('have no text without a word', () => {
    expect(contentOf(user(say(''), say(' \n'), say('a')))).toEqual([say('a')]);
    expect(contentOf(user(say(' ')))).toEqual([say('(empty message)')]);
    expect(contentOf(user())).toEqual([say('(empty message)')]);
    expect(contentOf(assistant(say('\n\n'), call('a')))).toMatchObject([{ type: 'tool_use' }]);
    expect(sent(assistant(say(' ')))).toEqual([]);
    expect(sent(assistant())).toEqual([]);
  });

  it('do not end in space, where they are replies', () => {
    expect(contentOf(assistant(say('a \n'), say('b \n')))).toEqual([say('a \n'), say('b')]);
    expect(contentOf(user(say('b ')))).toEqual([say('b ')]);
  });

  it('carry calls whose input is an object', () => {
    const inputs = [{ a: 1 }, undefined, null, '{"a": 1', 7, ['a']];

    expect(contentOf(assistant(...inputs.map((input, index) => call(`c${index}`, input))))).toMatchObject([
      { type: 'tool_use', id: 'c0', name: 'echo', input: { a: 1 } },
      { input: {} },
      { input: {} },
      { input: { invalid_input: '{"a": 1' } },
      { input: { invalid_input: 7 } },
      { input: { invalid_input: ['a'] } },
    ]);
  });

  it('have ids and names that the service takes, the same for call and result, each of its own', () => {
    const ids = ['toolu_01-A', 'functions.echo:0', 'functions.echo:1', 'functions_echo_0', 'a|b', '\u{1F30D}', ''];
    const reply = assistant(...ids.map((id) => ({ ...call(id), name: 'functions.echo' })));

    const calls = contentOf(reply) as { id: string; name: string }[];
    const results = contentOf(
      toolMessage(
        reply,
        ids.map(() => ({ output: 'x', isError: false })),
      ),
    ) as { tool_use_id: string }[];

    expect(calls.map(({ id }) => id)).toEqual(results.map((block) => block.tool_use_id));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length);
    expect(calls[0]?.id).toBe('toolu_01-A');
    for (const { id, name } of calls) expect(`${id}${name}`).toMatch(/^[a-zA-Z0-9_-]+$/);
  });

  it('carry results with their images, and errors that say something', () => {
    const blocks = contentOf({
      ...base,
      role: 'tool',
      content: [
        result('a'),
        result('b', { images: [image] }),
        result('c', { output: '', images: [image] }),
        result('d', { output: '\n' }),
        result('e', { output: '', isError: true }),
      ],
    });

    expect(blocks).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'out a' },
      { type: 'tool_result', tool_use_id: 'b', content: [say('out b'), wireImage] },
      { type: 'tool_result', tool_use_id: 'c', content: [wireImage] },
      { type: 'tool_result', tool_use_id: 'd' },
      { type: 'tool_result', tool_use_id: 'e', content: '(no output)', is_error: true },
    ]);
  });

  it('replace lone surrogates, also within inputs', () => {
    const reply = assistant(
      say('a\ud83d'),
      call('c', { 'k\udc00': ['\ud83d', { deep: 'x\ud83d' }], n: 1, whole: '\u{1F30D}' }),
    );

    expect(contentOf(reply)).toMatchObject([
      say('a\ufffd'),
      { input: { 'k\ufffd': ['\ufffd', { deep: 'x\ufffd' }], n: 1, whole: '\u{1F30D}' } },
    ]);
    expect(contentOf(assistant(call('c', { text: '\\ud83d' })))).toMatchObject([{ input: { text: '\\ud83d' } }]);
  });

  it('carry thoughts with their signature, in their places, and none of others', () => {
    const redacted = { type: 'redacted_thinking', data: 'EmwK' };
    const reply = assistant(
      thought('hm\ud83d', { signature: 's1' }),
      thought('', { block: redacted }),
      thought('foreign', { signature: 's' }, 'gemini'),
      { type: 'thinking', text: 'unsigned' },
      say('so'),
      thought('', { signature: 's2' }),
      call('c'),
    );

    expect(contentOf(reply)).toEqual([
      { type: 'thinking', thinking: 'hm\ud83d', signature: 's1' },
      redacted,
      say('so'),
      { type: 'thinking', thinking: '', signature: 's2' },
      call('c'),
    ]);
  });

  it('carry thoughts without a signature to services that have none', () => {
    const reply = assistant(thought('a', {}), thought('b', { signature: '' }), say('so'));

    expect(contentOf(reply)).toEqual([say('so')]);
    expect(contentOf(reply, { direct: false })).toEqual([
      { type: 'thinking', thinking: 'a' },
      { type: 'thinking', thinking: 'b', signature: '' },
      say('so'),
    ]);
  });

  it('do not end in a thought', () => {
    expect(contentOf(assistant(say('a '), thought('b', { signature: 's' })))).toEqual([say('a')]);
    expect(
      sent(
        assistant(thought('b', { signature: 's' }), thought('', { block: { type: 'redacted_thinking', data: 'x' } })),
      ),
    ).toEqual([]);
  });

  it("carry the service's own calls where they were answered, or will be after the results of ours", () => {
    const own = { type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} };
    const caller = { type: 'code_execution_20260120', tool_id: 's1' };
    const made = { ...call('c'), providerData: { provider: 'anthropic', data: { caller } } };

    expect(contentOf(assistant(say('a'), thought('', { block: own })))).toEqual([say('a')]);
    expect(contentOf(assistant(thought('', { block: own }), made))).toEqual([own, { ...call('c'), caller }]);
    expect(contentOf(assistant(call('c'), thought('', { block: own })))).toEqual([call('c'), own]);
  });
});
