import { type Message, type ToolMessage, toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig } from '@x/models';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';

const LEVELS = 20_000;
const deep = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const input = `{"a":${deep}}`;
const inText = JSON.stringify(input);
const sse = (...events: readonly string[]) =>
  events.map((data) => `event: ${/"type":"([\w.]+)"/.exec(data)?.[1]}\ndata: ${data}\n\n`).join('');
const nameless = (...chunks: readonly string[]) => chunks.map((data) => `data: ${data}\n\n`).join('');

const message = '{"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":1}}}';
const block = (index: number, fields: string) =>
  `{"type":"content_block_start","index":${index},"content_block":{${fields}}}`;
const piece = (index: number, delta: string) => `{"type":"content_block_delta","index":${index},"delta":{${delta}}}`;
const stop = (index: number) => `{"type":"content_block_stop","index":${index}}`;
const messageEnd = [
  '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}',
  '{"type":"message_stop"}',
];
const parts = (list: string) => nameless(`{"candidates":[{"content":{"parts":[${list}]},"finishReason":"STOP"}]}`);
const output = (list: string) => sse(`{"type":"response.completed","response":{"output":[${list}]}}`);

const chat = (url: string) => ({ type: 'openai-compatible', baseUrl: url }) as const;
const responses = (url: string) => ({ ...chat(url), api: 'responses' }) as const;
const anthropic = (url: string) => ({ type: 'anthropic', baseUrl: url }) as const;
const gemini = (url: string) => ({ type: 'gemini', baseUrl: url }) as const;

const replies: readonly (readonly [name: string, config: (url: string) => ProviderConfig, body: string])[] = [
  [
    'chat, in text',
    chat,
    nameless(
      `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"echo","arguments":${inText}}}]}}]}`,
      '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
      '[DONE]',
    ),
  ],
  [
    'responses, in text',
    responses,
    output(`{"type":"function_call","call_id":"c","name":"echo","arguments":${inText},"more":${deep}}`),
  ],
  [
    'responses, as an object beside other items',
    responses,
    output(
      `{"type":"function_call","call_id":"c","name":"echo","arguments":${input}},{"type":"weather","is":${deep}},` +
        `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":${deep}}],"more":${deep}}`,
    ),
  ],
  [
    'anthropic, in text',
    anthropic,
    sse(
      message,
      block(0, '"type":"tool_use","id":"c","name":"echo","input":{}'),
      piece(0, `"type":"input_json_delta","partial_json":${inText}`),
      stop(0),
      ...messageEnd,
    ),
  ],
  [
    'anthropic, as an object beside other blocks',
    anthropic,
    sse(
      message,
      block(0, `"type":"text","text":"a","citations":[{"is":${deep}}]`),
      stop(0),
      block(1, `"type":"weather","is":${deep}`),
      stop(1),
      block(2, `"type":"tool_use","id":"c","name":"echo","input":${input},"caller":${deep}`),
      stop(2),
      ...messageEnd,
    ),
  ],
  [
    'anthropic, as an object in a piece',
    anthropic,
    sse(
      message,
      block(0, '"type":"tool_use","id":"c","name":"echo","input":{}'),
      piece(0, `"type":"input_json_delta","partial_json":${input}`),
      stop(0),
      ...messageEnd,
    ),
  ],
  [
    'gemini, as an object beside other parts',
    gemini,
    parts(`{"functionCall":{"id":"c","name":"echo","args":${input}}},{"weather":${deep}}`),
  ],
  ['gemini, in text', gemini, parts(`{"functionCall":{"id":"c","name":"echo","args":${inText}}}`)],
  [
    'gemini, in pieces',
    gemini,
    parts(
      `{"functionCall":{"id":"c","name":"echo","args":${input},"willContinue":true}},{"functionCall":{"id":"c","partialArgs":[]}}`,
    ),
  ],
];

describe('a call whose input has more levels than anybody writes', () => {
  it.each(replies)(
    '%s: has the text of it as its input, and can be kept and sent back',
    async (_name, config, body) => {
      await using server = await wireServer({ body });
      const model = createModel({ ...config(server.url), apiKey: 'k' }, 'some-model');
      const ask = async (messages: readonly Message[]) => {
        const { signal } = new AbortController();
        return (await collect(model.stream({ instruction: '', messages, tools: [], signal }))).value;
      };
      const question = userMessage('Hello');
      const result = { type: 'tool_result', toolUseId: 'c', name: 'echo', output: 'bad input', isError: true } as const;
      const results: ToolMessage = { id: 't', createdAt: question.createdAt, role: 'tool', content: [result] };

      const reply = await ask([question]);
      await ask([question, JSON.parse(JSON.stringify(reply)) as Message, results]);

      expect(toolUsesOf(reply)).toMatchObject([{ id: 'c', name: 'echo', input }]);
      expect(server.requests[1]?.body).toContain(deep);
    },
  );
});
