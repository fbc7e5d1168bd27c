import { readdirSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import type { AssistantMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import {
  answer,
  data,
  echo,
  facts,
  greeting,
  hi,
  kept,
  now,
  one,
  read,
  readText,
  say,
  thought,
  told,
  two,
  usage,
  wire,
} from '../../test/replies/anthropic.ts';

const folder = new URL('../../test/wire/anthropic/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace('.sse', ''));
const search = { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', caller: { type: 'direct' } };
const found = {
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
};
const cited = {
  type: 'web_search_result_location',
  cited_text: 'c',
  url: 'https://example.com',
  title: 'T',
  encrypted_index: 'Eo8B',
};
const opaque = (block: object) => ({ type: 'thinking', text: '', ...data({ block }) });
const searching = {
  ...opaque({ ...search, input: { query: 'x' } }),
  serviceTool: { name: 'web_search', id: 'srvtoolu_01', state: 'called', input: { query: 'x' } },
};
const hm = thought('Hm.', 'sig==');

/** One stream has a tool of the service. */
const usageOf = (name: string) => (name === 'server-tool' ? { ...usage, serviceToolUses: { web_search: 1 } } : usage);

const table: readonly [name: string, content: readonly object[], stopReason: AssistantMessage['stopReason']][] = [
  ['text', [greeting], 'end'],
  ['text-crlf', [greeting], 'end'],
  ['thinking', [thought('First, think.', 'EqQBCgIYAhIkMWY+/zQ0=='), say('Then speak.')], 'end'],
  ['thinking-omitted', [thought('', 'EqQBhidden=='), say('Done.')], 'end'],
  [
    'redacted-thinking',
    [
      thought('Hm.', 'sig-one=='),
      opaque({ type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' }),
      say('So.'),
    ],
    'end',
  ],
  [
    'interleaved-thinking',
    [
      thought('Hm.', 'sig-one=='),
      say('A'),
      thought('Hm again.', 'sig-two=='),
      say('B'),
      echo('toolu_01', { text: 'one' }),
      echo('toolu_02', { text: 'two' }),
    ],
    'tool_use',
  ],
  ['call', [hi], 'tool_use'],
  ['call-with-text', [say('Let me see.'), hi], 'tool_use'],
  ['call-without-arguments', [now], 'tool_use'],
  ['call-with-empty-arguments', [now], 'tool_use'],
  ['parallel-calls', [one, two], 'tool_use'],
  ['text-after-call', [hi, say('I asked.')], 'tool_use'],
  ['refusal', [say('I cannot help.')], 'refusal'],
  ['length', [say('Once upon')], 'length'],
  ['window-exceeded', [say('Once upon')], 'length'],
  ['length-in-call', [say('I write.'), echo('toolu_01A', '{"text": "h\u00ef')], 'length'],
  ['length-before-arguments', [echo('toolu_01A', '')], 'length'],
  ['length-in-thinking', [{ type: 'thinking', text: 'Hm, wh' }], 'length'],
  ['stop-sequence', [say('One, two')], 'end'],
  [
    'server-tool',
    [
      say('I search.'),
      searching,
      { ...opaque(found), serviceTool: { name: 'web_search', id: 'srvtoolu_01', state: 'done' } },
      { ...say('Found.'), sources: [{ url: cited.url, title: cited.title }], ...data({ citations: [cited] }) },
    ],
    'end',
  ],
  ['pause-turn', [say('I search.'), searching], 'end'],
  ['structured', [say('{"city":"Oslo"}')], 'end'],
  // services that follow the API
  ['nameless', [hm, greeting, hi], 'tool_use'],
  ['nameless-with-done', [greeting], 'end'],
  ['without-message-stop', [greeting], 'end'],
  ['input-in-start', [hi, two], 'tool_use'],
  ['without-index', [hm, greeting, hi], 'tool_use'],
  ['index-from-one', [hm, greeting, hi], 'tool_use'],
  ['same-index', [greeting, one, two], 'tool_use'],
  ['text-in-start', [greeting], 'end'],
  ['without-block-start', [greeting], 'end'],
  ['without-block-stop', [greeting, hi], 'tool_use'],
  ['call-ended-by-end-turn', [hi], 'tool_use'],
  ['call-with-bad-json', [echo('toolu_01A', '{"text": hi}')], 'tool_use'],
  ['unsigned-thinking', [{ type: 'thinking', text: 'Hm.', ...data({}) }, hi], 'tool_use'],
];

describe('AnthropicReplyReader', () => {
  it.each(table)('reads %s', (name, content, stopReason) => {
    const { message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage: usageOf(name), stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'anthropic', model: 'glm-5' });
  });

  it.each(table.flatMap(([name]) => [1, 7].map((size) => [name, size] as const)))(
    'reads %s in pieces of %i',
    (name, size) => {
      const bytes = wire(name);
      const count = Math.ceil(bytes.length / size);
      const pieces = Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

      expect(facts(read(pieces).message)).toEqual(facts(read([bytes]).message));
    },
  );

  it('makes one event of what came together, in order with the thinking', () => {
    expect(read([wire('interleaved-thinking')]).events).toEqual([
      { type: 'thinking', delta: 'Hm.' },
      { type: 'content', delta: 'A' },
      { type: 'thinking', delta: 'Hm again.' },
      { type: 'content', delta: 'B' },
    ]);
    expect(read([wire('text')]).events).toEqual([{ type: 'content', delta: greeting.text }]);
  });

  it('counts what was read from and written to the cache as input', () => {
    const { message } = read([wire('cache-usage')]);

    expect(message.usage).toEqual({
      inputTokens: 2305,
      outputTokens: 12,
      totalTokens: 2317,
      cacheReadTokens: 2000,
      cacheWriteTokens: 300,
    });
  });

  it('takes usage from wherever it is, and estimates what was not reported', () => {
    const late = read([wire('usage-only-at-the-end')]).message.usage;
    const none = readText(
      wire('text')
        .toString()
        .replaceAll(/"usage":\{(?:[^{}]|\{[^{}]*\})*\}/g, '"usage":null'),
    ).message.usage;

    expect(late).toEqual({ inputTokens: 7, outputTokens: 3, totalTokens: 10 });
    expect(none).toEqual({ inputTokens: 6, outputTokens: 4, totalTokens: 10, estimated: true });
  });

  it('keeps what the service says of a call that it will want back, and makes ids that are missing or not unique', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_01' };
    const text = wire('parallel-calls').toString();
    const called = text.replaceAll('{"type":"direct"}', JSON.stringify(caller)).replace('toolu_01B', 'toolu_01A');

    const [first, second] = readText(called).message.content;

    expect(first).toEqual({ ...one, ...data({ caller }) });
    expect(second).toMatchObject({ id: expect.stringMatching(/^call_[0-9a-f]{32}$/), input: { text: 'two' } });
  });

  it('keeps the summary that the service makes of a long conversation', () => {
    const text = wire('pause-turn').toString();
    const announced = text.replace('"type":"server_tool_use"', '"type":"compaction","content":null');
    const summed = announced.replaceAll(
      /\{"type":"input_json_delta","partial_json":"(?:[^"\\]|\\.)*"\}/g,
      '{"type":"compaction_delta","content":"Sum."}',
    );

    expect(readText(summed).message.content[1]).toMatchObject(data({ block: { type: 'compaction', content: 'Sum.' } }));
  });

  it('leaves out a block of the service that it could not read to its end', () => {
    const text = wire('pause-turn').toString();

    expect(readText(text.replace('\\"x\\"}', '\\"x')).message.content).toEqual([say('I search.')]);
    expect(readText(text.replaceAll('input_json_delta', 'secret_delta')).message.content).toEqual([say('I search.')]);
  });
});

describe('AnthropicReplyReader, however the bytes are split', () => {
  const readable = names.filter((name) => !['text-cut', 'error-event', 'malformed'].includes(name));

  test.prop([
    fc.constantFrom(...readable),
    fc.array(fc.nat({ max: 9000 }), { maxLength: 100, size: 'max' }),
    fc.constantFrom({}, { outputFormat: answer }),
  ])('reads the same message, and its deltas add up to it', (name, cuts, more) => {
    const bytes = wire(name);
    const ends = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
    const { events, message } = read(
      ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)),
      more,
    );

    expect(facts(message)).toEqual(facts(read([bytes], more).message));
    expect(told(events, 'content')).toBe(kept(message, 'text'));
    expect(told(events, 'thinking')).toBe(kept(message, 'thinking'));
  });
});
