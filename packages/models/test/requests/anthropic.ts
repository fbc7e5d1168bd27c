import {
  type AssistantMessage,
  defineTool,
  type ImageBlock,
  type Message,
  type ModelRequest,
  objectSchema,
  userMessage,
} from '@x/core';
import { type AnthropicFormatOptions, anthropicFormat } from '../../src/anthropic/to-request.ts';
import { RequestBytes } from '../../src/wire/request-bytes.ts';

export const MODEL = 'claude-opus-4-6';
/** What every message has. */
export const base = { id: '00000000-0000-4000-8000-000000000001', createdAt: '2026-11-21T00:00:00.000Z' };
export const image: ImageBlock = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
/** How an image is sent. */
export const wireImage = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
export const assistant = (...content: AssistantMessage['content'][number][]): AssistantMessage => ({
  ...base,
  role: 'assistant',
  content,
  provider: 'openai-compatible',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'end',
});
export const call = (id: string, input: unknown = {}) => ({ type: 'tool_use' as const, id, name: 'echo', input });
export const say = (text: string) => ({ type: 'text' as const, text });
export const thought = (text: string, data: unknown, provider = 'anthropic') => {
  return { type: 'thinking' as const, text, providerData: { provider, data } };
};
export const tool = (name: string) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    inputSchema: objectSchema({ text: { type: 'string', description: 'What.' } }),
    kind: 'readonly',
    execute: async () => 'x',
  });
/** What is sent for a message. */
export const sent = (message: Message, options: AnthropicFormatOptions = {}) =>
  anthropicFormat(MODEL, options).messages(message);
/** The blocks that are sent for a message. */
export const contentOf = (message: Message, options?: AnthropicFormatOptions) => {
  return sent(message, options).flatMap((wire) => (wire as { content: object[] }).content);
};
export const requestOf = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instruction: 'Be brief.',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
  ...more,
});
/** The body of a request, parsed. */
export function bodyOf(
  more: Partial<ModelRequest>,
  options: AnthropicFormatOptions = {},
  model = MODEL,
): Record<string, unknown> {
  return JSON.parse(new RequestBytes(anthropicFormat(model, options)).bodyOf(requestOf(more)).bytes.toString());
}
