import { readdirSync, readFileSync } from 'node:fs';
import { type ModelRequest, toolUsesOf, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { AnthropicReplyReader } from '../src/anthropic/from-stream.ts';
import { GeminiReplyReader } from '../src/gemini/from-stream.ts';
import { ChatReplyReader } from '../src/openai-chat/from-stream.ts';
import { ResponsesReplyReader } from '../src/openai-responses/from-stream.ts';
import type { DeltaEvent } from '../src/wire/delta-queue.ts';
import type { ReplyFacts, ReplyReader } from '../src/wire/reply-reader.ts';

const readers: Readonly<Record<string, (facts: ReplyFacts) => ReplyReader>> = {
  anthropic: (facts) => new AnthropicReplyReader(facts),
  gemini: (facts) => new GeminiReplyReader(facts),
  'openai-chat': (facts) => new ChatReplyReader(facts),
  'openai-responses': (facts) => new ResponsesReplyReader(facts),
};
const wires = Object.keys(readers).flatMap((api) =>
  readdirSync(new URL(`wire/${api}/`, import.meta.url))
    .filter((file) => file.endsWith('.sse'))
    .map((file) => [api, file.replace('.sse', '')] as const),
);

/** What a recorded stream tells and says, read in pieces of a few characters; undefined for one that is no reply. */
function reading(api: string, name: string, tellsToolInput: boolean) {
  const request: ModelRequest = {
    instruction: '',
    messages: [userMessage('Hello')],
    tools: [],
    signal: new AbortController().signal,
    ...(tellsToolInput ? { tellsToolInput, replyId: 'the-reply' } : {}),
  };
  const reader = readers[api]!({ model: 'm', request, context: { provider: api, apiKey: 'k' } });
  const text = readFileSync(new URL(`wire/${api}/${name}.sse`, import.meta.url), 'utf8');
  try {
    const events: DeltaEvent[] = [];
    for (let at = 0; at < text.length; at += 7) events.push(...reader.push(text.slice(at, at + 7)));
    events.push(...reader.end());
    return { events, message: reader.message() };
  } catch {
    return undefined;
  }
}
const isOfInput = ({ type }: DeltaEvent) => type.startsWith('tool_input');
const spoken = (events: readonly DeltaEvent[]) => {
  const joined = events.filter((event) => !isOfInput(event)) as Extract<DeltaEvent, { type: 'content' | 'thinking' }>[];
  return ['content', 'thinking'].map((type) =>
    joined.flatMap((one) => (one.type === type ? [one.delta] : [])).join(''),
  );
};

/** What was told of a call: its name, and its input where that is whole; nothing of one without an id or a name of the service. */
function previewOf({ id, input }: { readonly id: string; readonly input: unknown }, events: readonly DeltaEvent[]) {
  const start = events.find((event) => event.type === 'tool_input_start' && event.id === id);
  const pieces = events.flatMap((one) => (one.type === 'tool_input_delta' && one.id === id ? [one.delta] : []));
  const isWhole = pieces.length > 0 && typeof input !== 'string';
  return {
    ...(start?.type === 'tool_input_start' ? { name: start.name } : {}),
    ...(isWhole ? { input: JSON.parse(pieces.join('')) as unknown } : {}),
  };
}

/** Servers that repeat themselves: what was told is a preview, and the message says what counts. */
const REPEATED = new Set([
  'call-after-empty-arguments',
  'call-name-in-pieces',
  'call-with-arguments-twice',
  'calls-with-the-same-id',
]);

describe('the input of calls, as it is told to those who follow', () => {
  it.each(wires.filter(([, name]) => !REPEATED.has(name)))('is that of the message: %s %s', (api, name) => {
    const told = reading(api, name, true);
    const plain = reading(api, name, false);
    expect(told === undefined).toBe(plain === undefined);
    if (!told || !plain) return;

    const { events, message } = told;
    expect(message.id).toBe('the-reply');
    expect(plain.events.filter(isOfInput)).toEqual([]);
    expect(spoken(events)).toEqual(spoken(plain.events));
    const calls = toolUsesOf(message).map(({ id, name: tool, input }) => ({ id, name: tool, input }));
    expect(calls).toEqual(calls.map((call) => ({ ...call, ...previewOf(call, events) })));
  });

  it.each(Object.keys(readers))('is told of most recorded calls of %s', (api) => {
    const calls = wires.flatMap(([of, name]) => {
      const told = of === api ? reading(api, name, true) : undefined;
      const started = new Set(told?.events.flatMap((one) => (one.type === 'tool_input_start' ? [one.id] : [])));
      return told ? toolUsesOf(told.message).map(({ id }) => started.has(id)) : [];
    });

    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter(Boolean).length / calls.length).toBeGreaterThan(0.7);
  });
});
