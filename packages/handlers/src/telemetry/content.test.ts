import type { AssistantMessage, Message, ModelRequest } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { miniRun, type SpanCollector, spanCollector, spanNamed } from '../../test/spans.ts';
import { tool } from '../../test/values.ts';
import { bounded, jsonOf, replyContent, requestContent } from './content.ts';

let collector: SpanCollector;
beforeEach(async () => {
  collector = await spanCollector();
});
afterEach(() => collector.close());

/** A run in which every text, input, output and name says SECRET, one of its calls fails, and the model fails in the end. */
async function secretRun(recordContent?: boolean) {
  const parts = { tools: [tool('a', { execute: async () => 'SECRET output' })] };
  const script = [
    {
      text: 'SECRET text',
      thinking: 'SECRET thought',
      toolCalls: [
        { name: 'a', input: { key: 'SECRET input' } },
        { name: 'SECRET_tool', input: {} },
      ],
    },
    { error: new Error('SECRET error') },
  ];
  const telemetry = { tracer: collector.tracer, ...(recordContent === undefined ? {} : { recordContent }) };
  await collect(miniRun({ script, telemetry, ...parts })).catch(() => undefined);
  return collector.spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
}

describe('telemetryHandler', () => {
  it.each([undefined, false])('exports no content by default (%s)', async (recordContent) => {
    const spans = await secretRun(recordContent);

    expect(spans).toHaveLength(5);
    expect(JSON.stringify(spans)).not.toContain('SECRET');
  });

  it('exports it when it is asked to', async () => {
    await secretRun(true);

    const { attributes } = spanNamed(collector, 'chat gpt-x');
    expect(JSON.parse(String(attributes['gen_ai.system_instructions']))).toEqual([
      { type: 'text', content: 'SECRET instruction' },
    ]);
    expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Begin.' }] },
    ]);
    expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toMatchObject([
      {
        role: 'assistant',
        finish_reason: 'tool_call',
        parts: [
          { type: 'reasoning', content: 'SECRET thought' },
          { type: 'text', content: 'SECRET text' },
          { type: 'tool_call', name: 'a', arguments: { key: 'SECRET input' } },
          { type: 'tool_call', name: 'SECRET_tool' },
        ],
      },
    ]);
    expect(spanNamed(collector, 'execute_tool a').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"key":"SECRET input"}',
      'gen_ai.tool.call.result': 'SECRET output',
    });
    expect(spanNamed(collector, 'execute_tool SECRET_tool').attributes['gen_ai.tool.name']).toBe('SECRET_tool');
    expect(spanNamed(collector, 'invoke_agent main').status.message).toBe('SECRET error');
  });
});

const at = { id: 'i', createdAt: '2026-01-01T00:00:00.000Z' };
const said = (text: string): Message => ({ ...at, role: 'user', content: [{ type: 'text', text }] });
const asking = (...messages: Message[]): ModelRequest => ({
  instruction: 'i',
  messages,
  tools: [],
  signal: new AbortController().signal,
});
const messagesIn = (request: ModelRequest): unknown[] =>
  JSON.parse(String(requestContent(request)['gen_ai.input.messages'])) as unknown[];

describe('requestContent', () => {
  it('keeps the newest messages where all are too many', () => {
    const messages = Array.from({ length: 100 }, (_, index) => said(`${index} ${'x'.repeat(4_000)}`));

    const kept = messagesIn(asking(...messages));

    expect(kept).toHaveLength(16);
    expect(JSON.stringify(kept.at(-1))).toContain('99 xxx');
  });

  it('cuts a long text, and never inside of a character', () => {
    const [message] = messagesIn(asking(said('😀'.repeat(3_000).slice(1))));

    const text = JSON.stringify(message);
    expect(text.length).toBeLessThan(4_400);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain('more characters');
  });

  it('has answers in the form of the conventions, and no pictures', () => {
    const answer: Message = {
      ...at,
      role: 'tool',
      content: [{ type: 'tool_result', toolUseId: 'c1', name: 'a', output: 'o', isError: false }],
    };
    const url = 'https://example.com/a.pdf';
    const mediaType = 'application/pdf';
    const image: Message = {
      ...at,
      role: 'user',
      content: [
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        { type: 'file', mediaType, data: 'AAAA' },
        { type: 'link', mediaType, url },
      ],
    };

    expect(messagesIn(asking(answer, image))).toEqual([
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'o' }] },
      {
        role: 'user',
        parts: [
          { type: 'image', mime_type: 'image/png' },
          { type: 'file', mime_type: mediaType },
          { type: 'link', mime_type: mediaType, uri: url },
        ],
      },
    ]);
  });
});

describe('replyContent', () => {
  it('cuts an input that is too large, as text', () => {
    const input = { content: 'x'.repeat(10_000) };
    const reply: AssistantMessage = {
      ...at,
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c1', name: 'Write', input }],
      provider: 'p',
      model: 'm',
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      stopReason: 'tool_use',
    };

    const json = String(replyContent(reply)['gen_ai.output.messages']);

    expect(json.length).toBeLessThan(5_000);
    expect(JSON.parse(json)).toMatchObject([{ parts: [{ arguments: expect.stringContaining('more characters') }] }]);
  });
});

describe('jsonOf', () => {
  it('has nothing to say of what JSON cannot hold', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;

    expect([jsonOf(circle), jsonOf(1n), jsonOf(undefined), jsonOf({ a: 1 })]).toEqual(['', '', '', '{"a":1}']);
  });
});

describe('bounded', () => {
  it('leaves what is short alone', () => {
    expect(bounded('x'.repeat(4_096))).toBe('x'.repeat(4_096));
    expect(bounded('x'.repeat(4_097))).toMatch(/^x{4096}\.\.\. \(1 more characters\)$/);
  });
});
