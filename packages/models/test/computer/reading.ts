import type { ModelRequest } from '@x/core';
import { toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig } from '@x/models';
import { computerTool } from '@x/models/computer';
import { wireServer } from '@x/models/testing';

/** The tool, which does nothing. */
export const computer = computerTool({ display: { width: 1000, height: 500 }, execute: async () => undefined });

const sse = (events: readonly object[], named = false) =>
  events
    .map((data) => `${named ? `event: ${(data as { type: string }).type}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    .join('');

/** A reply of the messages API with one call. */
export const anthropicCall = (call: {
  readonly name: string;
  readonly input: object;
  readonly toolset_name?: string;
}) =>
  sse(
    [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', ...call } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
    true,
  );
/** A response with one item. */
export const responsesItem = (item: object) =>
  sse([
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
  ]);
/** A reply of `generateContent` with one call. */
export const geminiCall = (functionCall: object) =>
  sse([{ candidates: [{ content: { role: 'model', parts: [{ functionCall }] }, finishReason: 'STOP' }] }]);

const key = { apiKey: 'key-4711' };
export const CONFIGS = {
  anthropic: (url: string): ProviderConfig => ({ type: 'anthropic', ...key, baseUrl: url }),
  responses: (url: string): ProviderConfig => ({ type: 'openai-compatible', ...key, baseUrl: url, api: 'responses' }),
  gemini: (url: string): ProviderConfig => ({ type: 'gemini', ...key, baseUrl: url }),
};

interface Asked extends Partial<Omit<ModelRequest, 'model'>> {
  readonly config: (url: string) => ProviderConfig;
  readonly model: string;
  readonly body: string;
}

/** One reply of a service to a request with computer use: its calls, what was told, and what was sent. */
export async function asking({ config, model, body, ...more }: Asked) {
  const server = await wireServer({ body });
  try {
    const { signal } = new AbortController();
    const usual = { instruction: '', messages: [userMessage('Hi')], tools: [computer], signal };
    const { events, value } = await collect(createModel(config(server.url), model).stream({ ...usual, ...more }));
    return { reply: value, calls: toolUsesOf(value), events, sent: server.requests[0]! }; // it has answered
  } finally {
    await server.close();
  }
}
