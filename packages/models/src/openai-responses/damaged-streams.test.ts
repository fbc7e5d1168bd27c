import { readdirSync, readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, textOf, toolUsesOf } from '@x/core';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import type { ParsedResponse } from 'openai/resources/responses/responses';
import { describe, expect } from 'vitest';
import { ResponsesReplyReader } from './from-stream.ts';

const FOLDER = new URL('../../test/wire/openai-responses/', import.meta.url);
const streams = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sse'))
  .map((file) =>
    readFileSync(new URL(file, FOLDER), 'utf8')
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : [])),
  )
  // where the last event lists nothing, the client loses what was streamed
  .filter((events) => !events.some((data) => /"response.completed".*"output":\[\]/.test(data)));
const FIELDS = ['delta', 'text', 'part', 'sequence_number', 'arguments'];

/** One thing that goes wrong: an event is lost, comes again elsewhere, or lacks a field. */
const mishap = fc.record({
  kind: fc.constantFrom('lost', 'lost', 'again', 'field'),
  at: fc.nat(),
  from: fc.nat(),
  field: fc.constantFrom(...FIELDS),
});
type Mishap = typeof mishap extends fc.Arbitrary<infer T> ? T : never;

function damaged(events: readonly string[], mishaps: readonly Mishap[]): readonly string[] {
  return mishaps.reduce<readonly string[]>((left, { kind, at, from, field }) => {
    const index = at % Math.max(left.length, 1);
    if (kind === 'lost') return left.toSpliced(index, 1);
    if (kind === 'field') return left.map((data, position) => (position === index ? without(data, field) : data));
    const again = events[from % events.length] ?? '';
    // behind an end that comes too early, nothing counts
    return again.includes('"response.completed"') ? left : left.toSpliced(index, 0, again);
  }, events);
}
function without(data: string, field: string): string {
  try {
    const { [field]: _, ...event } = JSON.parse(data) as Record<string, unknown>;
    return JSON.stringify(event);
  } catch {
    return data;
  }
}

async function theirs(events: readonly string[]): Promise<ParsedResponse<unknown> | undefined> {
  const body = new Blob([events.map((data) => `${data}\n`).join('')]).stream();
  const response = await ResponseStream.fromReadableStream(body as ReadableStream)
    .finalResponse()
    .catch(() => undefined);
  return response?.status === 'completed' || response?.status === 'incomplete' ? response : undefined;
}
function ours(events: readonly string[]): AssistantMessage | { name: string } {
  const request = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
  const reader = new ResponsesReplyReader({
    model: 'm',
    request,
    context: { provider: 'openai-compatible', apiKey: 'k' },
  });
  try {
    reader.push(events.map((data) => `data: ${data}\n\n`).join(''));
    reader.end();
    return reader.message();
  } catch (error) {
    return error as { name: string }; // its name is what is looked at
  }
}

function factsOfTheirs({ output }: ParsedResponse<unknown>) {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return {
    text: parts.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join(''),
    thinking: output.flatMap((item) =>
      item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])].map((part) => part.text) : [],
    ),
    calls: output.flatMap((item) => (item.type === 'function_call' ? [[item.call_id, item.name]] : [])),
  };
}
function factsOfOurs(message: AssistantMessage) {
  return {
    text: textOf(message),
    thinking: message.content.flatMap((block) => (block.type === 'thinking' && block.text !== '' ? [block.text] : [])),
    calls: toolUsesOf(message).map(({ id, name }) => [id, name]),
  };
}

describe('a stream with events that are lost, repeated or damaged', () => {
  test.prop([fc.constantFrom(...streams), fc.array(mishap, { maxLength: 4 })], { numRuns: 100 })(
    'is read as the official client reads it, wherever that accepts it, and is a reply or a typed error elsewhere',
    async (events, mishaps) => {
      const broken = damaged(events, mishaps);

      const [mine, other] = [ours(broken), await theirs(broken)];

      const isReply = 'role' in mine;
      expect(isReply ? 'reply' : mine.name).toBe(isReply ? 'reply' : 'ModelError');
      expect(isReply && other ? factsOfOurs(mine) : undefined).toEqual(
        isReply && other ? factsOfTheirs(other) : undefined,
      );
      expect(isReply || !other).toBe(true);
    },
  );
});
