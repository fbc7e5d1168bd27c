import { fc, test } from '@fast-check/vitest';
import type { ModelRequest } from '@x/core';
import { afterEach, expect, it, vi } from 'vitest';
import { AnthropicReplyReader } from './from-stream.ts';

const request: ModelRequest = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
const facts = { model: 'm', request, context: { provider: 'anthropic', apiKey: 'key-4711' } };

/** A delta of a block: of text, of thinking, or of the input of a call. */
interface Delta {
  readonly index: number;
  readonly kind: keyof typeof STARTS;
  readonly text: string;
}

const STARTS = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '' },
  call: { type: 'tool_use', name: 'write', input: {} },
};
const deltaOf = ({ kind, text }: Delta): object => {
  if (kind === 'text') return { type: 'text_delta', text };
  return kind === 'thinking'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'input_json_delta', partial_json: text };
};

/** `salt` makes each event unlike all others, so that each is parsed. */
function read(
  blocks: readonly (keyof typeof STARTS)[],
  deltas: readonly Delta[],
  { salt }: { readonly salt: boolean },
) {
  const reader = new AnthropicReplyReader(facts);
  let count = 0;
  const say = (event: { readonly type: string; readonly [field: string]: unknown }) => {
    const { type, ...fields } = event;
    const data = JSON.stringify(salt ? { type, salt: count++, ...fields } : event);
    return reader.push(`event: ${type}\ndata: ${data}\n\n`);
  };
  say({ type: 'message_start', message: { id: 'm1', usage: { input_tokens: 1, output_tokens: 1 } } });
  blocks.forEach((kind, index) =>
    say({
      type: 'content_block_start',
      index,
      content_block: { ...STARTS[kind], ...(kind === 'call' ? { id: `c${index}` } : {}) },
    }),
  );
  const events = deltas.flatMap((delta) => {
    return say({ type: 'content_block_delta', index: delta.index, delta: deltaOf(delta) });
  });
  blocks.forEach((_, index) => say({ type: 'content_block_stop', index }));
  say({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } });
  say({ type: 'message_stop' });
  return { events, content: reader.message().content };
}

afterEach(() => vi.restoreAllMocks());

it('parses few of the pieces of a long input', () => {
  const text = 'line "one"\nline two\n'.repeat(100);
  const whole = JSON.stringify({ text });
  const deltas = Array.from({ length: 200 }, (_, at) => {
    return { index: 0, kind: 'call' as const, text: whole.slice(at * 15, at * 15 + 15) };
  });
  const parse = vi.spyOn(JSON, 'parse');

  const { content } = read(['call'], deltas, { salt: false });

  expect(content).toMatchObject([{ type: 'tool_use', id: 'c0', name: 'write', input: { text } }]);
  expect(parse.mock.calls.filter(([data]) => data.includes('content_block_delta')).length).toBeLessThan(12);
});

const kind = fc.constantFrom('text' as const, 'thinking' as const, 'call' as const);
const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '"},"index":1,"x":{"y":"', '\n', '{"a":"', ''));

test.prop(
  [
    fc.array(kind, { minLength: 1, maxLength: 3 }),
    fc.array(fc.record({ index: fc.nat({ max: 2 }), kind, text }), { maxLength: 60 }),
  ],
  { numRuns: 300 },
)('reads what parsing each event reads', (blocks, deltas) => {
  const outcome = (salt: boolean): unknown => {
    try {
      return read(blocks, deltas, { salt });
    } catch (error) {
      return error;
    }
  };

  expect(outcome(false)).toEqual(outcome(true));
});
