import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, textOf, toolUsesOf } from '@x/core';
import type OpenAI from 'openai';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { describe, expect } from 'vitest';
import { ChatReplyReader } from './from-stream.ts';

/** What one chunk says. */
type Delta = Readonly<Record<string, unknown>>;
interface Stream {
  readonly chunks: readonly object[];
  /** Where the bytes are split. */
  readonly cuts: readonly number[];
}

const words = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\n', '{', 'é', '\u{1F30D}', '\u2028'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
  ),
  maxLength: 8,
});
const textDelta: fc.Arbitrary<Delta> = words.map((content) => ({ content }));
const thinkingDelta: fc.Arbitrary<Delta> = words.map((text) => ({ content: null, reasoning_content: text }));
const refusalDelta: fc.Arbitrary<Delta> = words.map((refusal) => ({ refusal }));
const emptyDelta: fc.Arbitrary<Delta> = fc.constantFrom(
  {},
  { content: '' },
  { content: null, refusal: null },
  { role: 'assistant' },
);

/** The pieces of one call, in order. */
const callPieces = fc
  .tuple(
    fc.constantFrom('echo', 'now'),
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
    fc.constantFrom('', 'id', 'name', 'both'),
  )
  .map(([name, input, cuts, repeated]) => {
    const text = JSON.stringify(input);
    const ends = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
    return ends.slice(1).map((end, at) => {
      const first = at === 0;
      const called = first || repeated === 'name' || repeated === 'both' ? { name } : {};
      return {
        ...(first || repeated === 'id' || repeated === 'both' ? { id: 'given' } : {}),
        ...(first ? { type: 'function' } : {}),
        function: { ...called, arguments: text.slice(ends[at], end) },
      };
    });
  });
/** Calls side by side, the pieces of each in order. */
const callDeltas: fc.Arbitrary<readonly Delta[]> = fc
  .tuple(fc.array(callPieces, { maxLength: 3 }), fc.array(fc.nat({ max: 2 }), { maxLength: 20, size: 'max' }))
  .map(([calls, order]) => {
    const rests = calls.map((pieces, index) => pieces.map((piece) => numbered(piece, index)));
    const turns = [...order, ...rests.flatMap((rest, index) => rest.map(() => index))];
    return turns.flatMap((index) => {
      const piece = rests[index]?.shift();
      return piece ? [{ tool_calls: [piece] }] : [];
    });
  });
const usage = fc
  .record({
    prompt_tokens: fc.nat(),
    completion_tokens: fc.nat({ max: 99 }),
    prompt_tokens_details: fc.constantFrom({ cached_tokens: 0 }, { cached_tokens: 7 }, {}),
    completion_tokens_details: fc.constantFrom({ reasoning_tokens: 0 }, {}),
  })
  .map((counts) => ({ ...counts, prompt_tokens: counts.prompt_tokens + 7 }));
const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1763700000, model: 'm' };

const stream: fc.Arbitrary<Stream> = fc
  .record({
    said: fc.array(fc.oneof(textDelta, textDelta, thinkingDelta, emptyDelta), { maxLength: 8 }),
    refusal: fc.option(refusalDelta, { freq: 8, nil: undefined }),
    calls: callDeltas,
    finish: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter'),
    usage: fc.option(usage, { nil: undefined }),
    everywhere: fc.boolean(),
    cuts: fc.array(fc.nat({ max: 5_000 }), { maxLength: 100, size: 'max' }),
  })
  .map(({ said, refusal, calls, finish, usage: counts, everywhere, cuts }) => {
    const deltas = [{ role: 'assistant' }, ...said, ...(refusal ? [refusal] : []), ...calls];
    const chunks = deltas.map((delta) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason: null, logprobs: null }],
      ...(everywhere ? { usage: null } : {}),
    }));
    const end = { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] };
    return { chunks: [...chunks, end, ...(counts ? [{ ...base, choices: [], usage: counts }] : [])], cuts };
  });

function numbered(piece: { readonly id?: string }, index: number): Delta & { readonly index: number } {
  return { index, ...piece, ...(piece.id === undefined ? {} : { id: `call_${index}` }) };
}

function ours({ chunks, cuts }: Stream): AssistantMessage {
  const { signal } = new AbortController();
  const request = { instruction: '', messages: [], tools: [], signal };
  const reader = new ChatReplyReader({ model: 'm', request, context: { provider: 'openai-compatible', apiKey: 'k' } });
  const bytes = Buffer.from(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
  const ends = [...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
  const decoder = new TextDecoder();
  let start = 0;
  for (const end of ends) {
    reader.push(decoder.decode(bytes.subarray(start, end), { stream: true }));
    start = end;
  }
  reader.end();
  return reader.message();
}

/** The client takes the same chunks as lines of JSON. */
async function theirs({ chunks }: Stream): Promise<OpenAI.ChatCompletion> {
  const lines = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
  return ChatCompletionStream.fromReadableStream(new Blob([lines]).stream()).finalChatCompletion();
}

describe('the official client accumulates the same', () => {
  test.prop([stream], { numRuns: 150 })('from any valid stream, wherever its bytes are split', async (given) => {
    const {
      choices: [choice],
      usage: counts,
    } = await theirs(given);
    const { content, refusal, tool_calls = [] } = choice!.message;

    const message = ours(given);

    expect(textOf(message)).toBe((content ?? '') + (refusal ?? ''));
    expect(toolUsesOf(message)).toEqual(
      tool_calls.map((call) => {
        if (call.type !== 'function') throw new Error('only functions are called here');
        return { type: 'tool_use', id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) };
      }),
    );
    const ended = { length: 'length', content_filter: 'refusal' }[choice!.finish_reason as string];
    const called = tool_calls.length > 0 ? 'tool_use' : 'end';
    expect(message.stopReason).toBe(ended ?? (refusal ? 'refusal' : called));
    const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens, estimated } = message.usage;
    const reported = [inputTokens, outputTokens, cacheReadTokens, reasoningTokens];
    const expected = [
      counts?.prompt_tokens,
      counts?.completion_tokens,
      counts?.prompt_tokens_details?.cached_tokens,
      counts?.completion_tokens_details?.reasoning_tokens,
    ];
    expect(estimated ? undefined : reported).toEqual(counts ? expected : undefined);
  });
});
