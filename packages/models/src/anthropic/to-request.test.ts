import { readFileSync } from 'node:fs';
import {
  type AssistantMessage,
  defineTool,
  type ImageBlock,
  type Message,
  type ModelRequest,
  objectSchema,
  type ToolResultBlock,
  toolMessage,
  type UserMessage,
  userMessage,
} from '@x/core';
import { describe, expect, it } from 'vitest';
import { RequestBytes } from '../wire/request-bytes.ts';
import { AnthropicReplyReader } from './from-stream.ts';
import { type AnthropicFormatOptions, anthropicFormat } from './to-request.ts';

const MODEL = 'claude-opus-4-6';
const base = { id: '00000000-0000-4000-8000-000000000001', createdAt: '2026-11-21T00:00:00.000Z' };
const image: ImageBlock = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
const wireImage = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
const user = (...content: UserMessage['content'][number][]): UserMessage => ({ ...base, role: 'user', content });
const assistant = (...content: AssistantMessage['content'][number][]): AssistantMessage => ({
  ...base,
  role: 'assistant',
  content,
  provider: 'openai-compatible',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'end',
});
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use' as const, id, name: 'echo', input });
const say = (text: string) => ({ type: 'text' as const, text });
const thought = (text: string, data: unknown, provider = 'anthropic') => {
  return { type: 'thinking' as const, text, providerData: { provider, data } };
};
const result = (toolUseId: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => {
  return { type: 'tool_result', toolUseId, name: 'shot', output: `out ${toolUseId}`, isError: false, ...more };
};
const tool = (name: string) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    inputSchema: objectSchema({ text: { type: 'string', description: 'What.' } }),
    kind: 'readonly',
    execute: async () => 'x',
  });
const sent = (message: Message, options: AnthropicFormatOptions = {}) =>
  anthropicFormat(MODEL, options).messages(message);
const contentOf = (message: Message, options?: AnthropicFormatOptions) => {
  return sent(message, options).flatMap((wire) => (wire as { content: object[] }).content);
};
const answer = { name: 'answer', schema: { type: 'object', properties: {} }, strict: true };
const requestOf = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instruction: 'Be brief.',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
  ...more,
});
function bodyOf(
  more: Partial<ModelRequest>,
  options: AnthropicFormatOptions = {},
  model = MODEL,
): Record<string, unknown> {
  return JSON.parse(new RequestBytes(anthropicFormat(model, options)).bodyOf(requestOf(more)).bytes.toString());
}
const mark = { cache_control: { type: 'ephemeral' } };

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

describe('the head', () => {
  it('marks the last tool, the instruction and the growing history for the cache', () => {
    const body = bodyOf({ tools: [tool('a'), { ...tool('b'), description: ' ' }] });

    expect(body).toEqual({
      model: MODEL,
      max_tokens: 128_000,
      stream: true,
      ...mark,
      tools: [
        { name: 'a', description: 'Does a.', input_schema: expect.objectContaining({ type: 'object' }) },
        { name: 'b', input_schema: expect.objectContaining({ type: 'object' }), ...mark },
      ],
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [{ role: 'user', content: [say('Hello')] }],
    });
  });

  it('takes the mark from the host, everywhere, or leaves it out', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };

    expect(bodyOf({ tools: [tool('a')] }, { extraBody: hour })).toMatchObject({
      ...hour,
      tools: [hour],
      system: [hour],
    });
    expect(JSON.stringify(bodyOf({ tools: [tool('a')] }, { extraBody: { cache_control: null } }))).not.toContain(
      'cache_control',
    );
  });

  it('says nothing where there is nothing to say', () => {
    const body = bodyOf({ instruction: ' ' }, { extraBody: { tool_choice: { type: 'auto' } } });

    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'stream', 'cache_control', 'messages']);
  });

  it('drops thoughts that the service would refuse, and leaves that to others that speak for it', () => {
    const direct = bodyOf({}, {}, 'claude-opus-5-5');
    const proxied = bodyOf({}, { direct: false }, 'claude-opus-5-5');

    expect(direct).toMatchObject({ thinking: { type: 'adaptive', block_binding: expect.anything() } });
    expect(proxied).not.toHaveProperty('thinking');
  });

  it('gives a schema without a type the one that is needed', () => {
    const open = { ...tool('a'), inputSchema: { json: { properties: {} }, parse: (value: unknown) => value } };

    expect(bodyOf({ tools: [open] })).toMatchObject({ tools: [{ input_schema: { type: 'object', properties: {} } }] });
  });

  it.each([
    ['claude-opus-5-5', 128_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-sonnet-4-6', 64_000],
    ['eu.anthropic.claude-haiku-4-5-20251001-v1:0', 64_000],
    ['anthropic/claude-3.5-haiku', 8_192],
    ['glm-5', 8_192],
  ])('asks %s for at most %i tokens', (model, tokens) => {
    expect(bodyOf({}, {}, model)['max_tokens']).toBe(tokens);
  });

  it('leaves room beside a budget for thinking, and the last word to the host', () => {
    const thinking = { type: 'enabled', budget_tokens: 10_000 };

    expect(bodyOf({}, { extraBody: { thinking } }, 'glm-5')).toMatchObject({ max_tokens: 18_192, thinking });
    expect(bodyOf({}, { extraBody: { thinking, max_tokens: 12_000 } }, 'glm-5')).toMatchObject({ max_tokens: 12_000 });
  });
});

describe('the form of the answer', () => {
  it.each([
    'claude-opus-5-5',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4.6',
    'claude-fable-5-2',
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'claude-sonnet-5',
    'claude-opus-10',
  ])('is the own mode of %s, beside what the host says', (model) => {
    const body = bodyOf({ outputFormat: answer }, { extraBody: { output_config: { effort: 'low' } } }, model);

    expect(body).toMatchObject({ output_config: { effort: 'low', format: { type: 'json_schema' } } });
    expect(body).not.toHaveProperty('tools');
  });

  it.each(['claude-opus-4-1', 'claude-sonnet-4-20250514', 'claude-3-7-sonnet-latest', 'claude-opus-4-50', 'glm-5'])(
    'is a last tool for %s',
    (model) => {
      const body = bodyOf({ outputFormat: answer, tools: [tool('a'), tool('answer')] }, {}, model);

      expect(body).toMatchObject({
        tools: [{ name: 'a' }, { name: 'answer' }, { name: 'answer_', input_schema: answer.schema, ...mark }],
        tool_choice: { type: 'any' },
        system: [say('Be brief.'), { text: expect.stringContaining('answer_'), ...mark }],
      });
      expect(body).not.toHaveProperty('output_config');
    },
  );

  it('does not force a model that thinks', () => {
    const adaptive = bodyOf({ outputFormat: answer }, { extraBody: { thinking: { type: 'adaptive' } } }, 'glm-5');
    const disabled = bodyOf({ outputFormat: answer }, { extraBody: { thinking: { type: 'disabled' } } }, 'glm-5');

    expect(adaptive).not.toHaveProperty('tool_choice');
    expect(disabled).toMatchObject({ tool_choice: { type: 'any' } });
  });

  it('is wrapped where it is no object, its definitions within reach', () => {
    const $defs = { city: { type: 'string' } };
    const schema = { type: 'array', items: { $ref: '#/$defs/city' }, $defs };
    const body = bodyOf({ outputFormat: { ...answer, name: 'my answer!', schema } }, {}, 'glm-5');

    expect(body).toMatchObject({
      tools: [
        {
          name: 'my_answer_',
          input_schema: { type: 'object', properties: { value: { type: 'array' } }, required: ['value'], $defs },
        },
      ],
    });
  });
});

describe('thinking with a budget', () => {
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const options = { extraBody: { thinking } };
  const question = userMessage('Hello');
  const foreign = assistant(thought('hm', {}, 'gemini'), call('c'));
  const own = assistant(thought('hm', { signature: 's' }), call('c'));
  const later = assistant(call('d'));
  const results = (reply: AssistantMessage) => toolMessage(reply, [{ output: 'x', isError: false }]);

  it.each<[string, readonly Message[], boolean]>([
    ['at the beginning', [question], true],
    [
      'after a turn of another provider',
      [question, foreign, results(foreign), assistant(say('so')), userMessage('and?')],
      true,
    ],
    ['in a loop that began with a thought', [question, own, results(own), later, results(later)], true],
    ['in a loop that another provider began', [question, foreign, results(foreign)], false],
    ['in that loop later on', [question, foreign, results(foreign), own, results(own)], false],
    ['in that loop when the user has spoken', [question, foreign, results(foreign), userMessage('hurry')], false],
  ])('is asked for %s: %s', (_when, messages, asked) => {
    expect(bodyOf({ messages }, options)['thinking']).toEqual(asked ? thinking : undefined);
    expect(bodyOf({ messages }, { extraBody: { thinking: { type: 'adaptive' } } })['thinking']).toEqual({
      type: 'adaptive',
    });
  });

  it('leaves the head as it is from turn to turn', () => {
    const bytes = new RequestBytes(anthropicFormat(MODEL, options));
    const tools = [tool('a')];
    const messages = [question, own, results(own), later, results(later)];
    const heads = [1, 3, 5].map((length) => {
      const body = bytes.bodyOf(requestOf({ tools, messages: messages.slice(0, length) })).bytes.toString();
      return body.slice(0, body.indexOf('"messages"'));
    });

    expect(new Set(heads).size).toBe(1);
  });

  it('comes back when the next turn begins', () => {
    const bytes = new RequestBytes(anthropicFormat(MODEL, options));
    const tools = [tool('a')];
    const messages = [question, foreign, results(foreign), assistant(say('so')), userMessage('and?')];
    const asked = [1, 3, 5].map((length) => {
      return bytes.bodyOf(requestOf({ tools, messages: messages.slice(0, length) })).bytes.includes('budget_tokens');
    });

    expect(asked).toEqual([true, false, true]);
  });
});

describe('a reply that comes from the log', () => {
  const wire = (name: string) =>
    readFileSync(new URL(`../../test/wire/anthropic/${name}.sse`, import.meta.url), 'utf8');
  function replyOf(name: string): AssistantMessage {
    const context = { provider: 'anthropic', apiKey: 'k' };
    const reader = new AnthropicReplyReader({ model: MODEL, request: requestOf(), context });
    reader.push(wire(name));
    reader.end();
    return JSON.parse(JSON.stringify(reader.message())) as AssistantMessage; // safe: a message is JSON
  }
  /** The blocks as the service sent them, put together by hand from the fixture. */
  const asItCame: Readonly<Record<string, readonly object[]>> = {
    'interleaved-thinking': [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-one==' },
      { type: 'text', text: 'A' },
      { type: 'thinking', thinking: 'Hm again.', signature: 'sig-two==' },
      { type: 'text', text: 'B' },
      { type: 'tool_use', id: 'toolu_01', name: 'echo', input: { text: 'one' } },
      { type: 'tool_use', id: 'toolu_02', name: 'echo', input: { text: 'two' } },
    ],
    'redacted-thinking': [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-one==' },
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' },
      { type: 'text', text: 'So.' },
    ],
    'thinking-omitted': [
      { type: 'thinking', thinking: '', signature: 'EqQBhidden==' },
      { type: 'text', text: 'Done.' },
    ],
    'server-tool': [
      { type: 'text', text: 'I search.' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_01',
        name: 'web_search',
        input: { query: 'x' },
        caller: { type: 'direct' },
      },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [
          {
            type: 'web_search_result',
            title: 'T',
            url: 'https://example.com',
            encrypted_content: 'EqgfCio=',
            page_age: null,
          },
        ],
        caller: { type: 'direct' },
      },
      {
        type: 'text',
        text: 'Found.',
        citations: [
          {
            type: 'web_search_result_location',
            cited_text: 'c',
            url: 'https://example.com',
            title: 'T',
            encrypted_index: 'Eo8B',
          },
        ],
      },
    ],
    'deferred-server-call': [
      { type: 'tool_use', id: 'toolu_01', name: 'echo', input: { text: 'one' } },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_01',
        name: 'tool_search_tool_bm25',
        input: { query: 'clock' },
        caller: { type: 'direct' },
      },
    ],
    'deferred-server-result': [
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'now' }],
        },
      },
      { type: 'text', text: 'There is one.' },
    ],
    compaction: [
      { type: 'compaction', content: 'They spoke of clocks.' },
      { type: 'text', text: 'Go on.' },
    ],
    fallback: [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig-one==' },
      { type: 'fallback', from: { model: 'claude-opus-5-5' }, to: { model: 'claude-opus-4-8' } },
      { type: 'thinking', thinking: '', signature: 'sig-two==' },
      { type: 'tool_use', id: 'toolu_01', name: 'echo', input: { text: 'one' } },
    ],
    'mcp-call': [
      { type: 'mcp_tool_use', id: 'mcptoolu_01', name: 'say', input: { word: 'hi' }, server_name: 'parrot' },
      {
        type: 'mcp_tool_result',
        tool_use_id: 'mcptoolu_01',
        is_error: false,
        content: [{ type: 'text', text: 'hi' }],
      },
      { type: 'text', text: 'It said hi.' },
    ],
  };

  it.each(Object.entries(asItCame))('goes back byte for byte: %s', (name, blocks) => {
    expect(sent(replyOf(name)).map((message) => JSON.stringify(message))).toEqual([
      JSON.stringify({ role: 'assistant', content: blocks }),
    ]);
  });

  it('goes back with its results and their images', () => {
    const reply = replyOf('parallel-calls');
    const answers = toolMessage(reply, [
      { output: 'one', isError: false, images: [image] },
      { output: 'no', isError: true },
    ]);

    expect(sent(answers)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01A', content: [say('one'), wireImage] },
          { type: 'tool_result', tool_use_id: 'toolu_01B', content: 'no', is_error: true },
        ],
      },
    ]);
  });

  it('leaves out what a limit cut off, and stays valid', () => {
    expect(sent(replyOf('length-in-thinking'))).toEqual([]);
    expect(contentOf(replyOf('length-in-call'))).toMatchObject([
      say('I write.'),
      { input: { invalid_input: '{"text": "h\u00ef' } },
    ]);
    expect(contentOf(replyOf('pause-turn'))).toEqual([say('I search.')]);
  });
});
