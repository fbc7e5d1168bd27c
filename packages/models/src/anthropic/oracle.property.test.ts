import type Anthropic from '@anthropic-ai/sdk';
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { describe, expect } from 'vitest';
import { AnthropicReplyReader } from './from-stream.ts';

type Event = Readonly<Record<string, unknown>>;

const request: ModelRequest = {
  instruction: '',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
};
const start: Event = {
  type: 'message_start',
  message: { id: 'm', role: 'assistant', content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 1 } },
};
const blocks: readonly Event[] = [
  { type: 'text', text: '' },
  { type: 'text', text: 'Oh' },
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'tool_use', id: 'toolu', name: 'echo', input: {} },
  { type: 'tool_use', id: 'toolu', name: 'echo', input: { text: 'whole' } },
  { type: 'redacted_thinking', data: 'x' },
  { type: 'of the future' },
];
const pieces: readonly Event[] = [
  { type: 'text_delta', text: 'a' },
  { type: 'text_delta', text: ' "quoted\n' },
  { type: 'text_delta', text: '' },
  { type: 'thinking_delta', thinking: 'hm ' },
  { type: 'signature_delta', signature: 'sig' },
  { type: 'input_json_delta', partial_json: '{"text":"b"}' },
  { type: 'input_json_delta', partial_json: ' ' },
  { type: 'mood_delta', mood: 1 },
];
const endings: readonly Event[] = [
  { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 6, input_tokens: null, cache_read_input_tokens: 4 } },
  {
    delta: { stop_reason: 'stop_sequence' },
    usage: { output_tokens: 7, output_tokens_details: { thinking_tokens: 2 } },
  },
];
const index = fc.nat({ max: 3 });
/** Blocks are announced with their positions, as the service does; everything else comes in any order. */
const streams = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(...blocks).map((content_block) => ({ type: 'content_block_start', content_block })),
      },
      {
        weight: 6,
        arbitrary: fc.record({ type: fc.constant('content_block_delta'), index, delta: fc.constantFrom(...pieces) }),
      },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('content_block_stop'), index }) },
      { weight: 1, arbitrary: fc.constantFrom(...endings).map((end) => ({ type: 'message_delta', ...end })) },
      { weight: 1, arbitrary: fc.constantFrom<Event>({ type: 'ping' }, { type: 'weather' }, start) },
    ),
    { maxLength: 20, size: 'max' },
  )
  .map((events) => {
    let position = 0;
    const placed = events.map((event: Event) =>
      event['type'] === 'content_block_start' ? { ...event, index: position++ } : event,
    );
    return [start, ...placed, { type: 'message_stop' }];
  });

async function theirs(events: readonly Event[]): Promise<Anthropic.Message> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const message = await MessageStream.fromReadableStream(new Blob([lines]).stream()).finalMessage();
  return JSON.parse(JSON.stringify(message)) as Anthropic.Message; // arguments are parsed when they are read
}
function ours(events: readonly Event[]) {
  const context = { provider: 'anthropic', apiKey: 'k' };
  const reader = new AnthropicReplyReader({ model: 'claude-opus-5-5', request, context });
  for (const event of events) reader.push(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
  reader.end();
  return reader.message();
}
/** What both say, in one form. */
function said(content: readonly { type: string }[]) {
  const blocks = content as readonly Readonly<Record<string, unknown>>[]; // safe: read as unknown values only
  const all = (type: string, field: string) =>
    blocks.filter((block) => block['type'] === type).map((block) => block[field]);
  const words = (type: string, field: string) => all(type, field).join('');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ name, input }) => ({ name, input }));
  return { text: words('text', 'text'), thinking: words('thinking', 'thinking') + words('thinking', 'text'), calls };
}
function factsOfOurs({ content, usage }: AssistantMessage) {
  return { ...said(content), usage };
}
function factsOfTheirs({ content, usage }: Anthropic.Message) {
  const cacheReadTokens = usage.cache_read_input_tokens ?? undefined;
  const inputTokens = usage.input_tokens + (cacheReadTokens ?? 0);
  const outputTokens = usage.output_tokens;
  const reasoningTokens = usage.output_tokens_details?.thinking_tokens;
  const totals = {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadTokens,
    reasoningTokens,
  };
  return { ...said(content), usage: totals };
}

describe('whatever comes in whatever order', () => {
  test.prop([streams], { numRuns: 200 })('is read as by the official client', async (events) => {
    const other = await theirs(events).catch(() => undefined);
    fc.pre(other !== undefined);

    expect(factsOfOurs(ours(events))).toEqual(factsOfTheirs(other));
  });

  test.prop([streams], { numRuns: 200 })('is a message or a typed error', (events) => {
    expect(['message', 'STREAM_CUT', 'MODEL_OVERLOADED', 'MODEL_ERROR']).toContain(outcomeOf(events));
  });
});

function outcomeOf(events: readonly Event[]): unknown {
  try {
    return ours(events).role === 'assistant' ? 'message' : 'nothing';
  } catch (error) {
    return (error as { code?: unknown }).code; // safe: only read
  }
}
