import { fc, test } from '@fast-check/vitest';
import type { ModelRequest } from '@x/core';
import { afterEach, expect, it, vi } from 'vitest';
import { ChatReplyReader } from './from-stream.ts';

const request: ModelRequest = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
const facts = { model: 'm', request, context: { provider: 'openai-compatible', apiKey: 'key-4711' } };

/** A piece of the arguments of a call, and what else its chunk says. */
interface Piece {
  readonly index: number;
  readonly text: string;
  readonly begins?: boolean | undefined;
  readonly more?: object | undefined;
}

function chunkOf({ index, text, begins, more }: Piece): object {
  const named = begins ? { id: `c${index}`, type: 'function', function: { name: 'write', arguments: text } } : {};
  const call = { index, function: { arguments: text }, ...named };
  return {
    id: 'r',
    choices: [{ index: 0, delta: { content: null, tool_calls: [call], ...more }, finish_reason: null }],
  };
}

/** `salt` makes each chunk unlike all others, so that each is parsed. */
function read(pieces: readonly Piece[], { salt }: { readonly salt: boolean }) {
  const reader = new ChatReplyReader(facts);
  const events = pieces.flatMap((piece, number) => {
    const data = JSON.stringify(salt ? { salt: number, ...chunkOf(piece) } : chunkOf(piece));
    return reader.push(`data: ${data}\n\n`);
  });
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
  reader.push(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  return { events, content: reader.message().content };
}

afterEach(() => vi.restoreAllMocks());

it('parses few of the pieces of long arguments', () => {
  const text = 'line "one"\nline two\n'.repeat(100);
  const whole = JSON.stringify({ text });
  const pieces = Array.from({ length: 200 }, (_, at) => ({ index: 0, text: whole.slice(at * 15, at * 15 + 15) }));
  const parse = vi.spyOn(JSON, 'parse');

  const { content } = read([{ index: 0, text: '', begins: true }, ...pieces], { salt: false });

  expect(content).toEqual([{ type: 'tool_use', id: 'c0', name: 'write', input: { text } }]);
  expect(parse.mock.calls.filter(([data]) => data.startsWith('{"id":"r"')).length).toBeLessThan(12);
});

const piece: fc.Arbitrary<Piece> = fc.record(
  {
    index: fc.constantFrom(0, 0, 0, 1),
    text: fc.oneof(fc.string(), fc.constantFrom('"', '\\', '","index":1,"x":"', '\n', '{"a":"', '')),
    more: fc.constantFrom(undefined, undefined, undefined, { content: 'said' }, { reasoning_content: 'thought' }),
  },
  { requiredKeys: ['index', 'text'] },
);

test.prop([fc.array(piece, { maxLength: 40 }), fc.array(piece, { maxLength: 40 })], { numRuns: 300 })(
  'reads what parsing each chunk reads',
  (first, second) => {
    const pieces = [{ index: 0, text: '', begins: true }, ...first, { index: 1, text: '', begins: true }, ...second];

    expect(read(pieces, { salt: false })).toEqual(read(pieces, { salt: true }));
  },
);
