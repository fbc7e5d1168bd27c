import { readFileSync } from 'node:fs';
import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { AnthropicReplyReader } from '../../src/anthropic/from-stream.ts';

const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
/** A recorded stream. */
export const wire = (name: string) => readFileSync(new URL(`../wire/anthropic/${name}.sse`, import.meta.url));
/** The form of an answer. */
export const answer = {
  name: 'answer',
  schema: { type: 'object', properties: { city: { type: 'string' } } },
  strict: true,
};

/** Reads the bytes in these pieces; a decoder keeps what is cut inside a character. */
export function read(pieces: readonly Uint8Array[], more: Partial<ModelRequest> = {}, model = 'glm-5') {
  const decoder = new TextDecoder();
  const context = { provider: 'anthropic', apiKey: 'key-4711' };
  const reply = new AnthropicReplyReader({ model, request: { ...request, ...more }, context });
  const events = pieces.flatMap((piece) => reply.push(decoder.decode(piece, { stream: true })));
  return { events: [...events, ...reply.end()], message: reply.message() };
}
export const readText = (text: string) => read([Buffer.from(text)]);
/** A reply, but for when it came. */
export function facts({ content, usage, stopReason }: AssistantMessage) {
  return { content, usage, stopReason };
}
/** The deltas of one type, joined. */
export function told(events: readonly { type: string; delta?: string }[], type: string) {
  return events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
}
/** The text of the blocks of one type, joined. */
export function kept(message: AssistantMessage, type: 'text' | 'thinking') {
  return message.content.flatMap((block) => (block.type === type ? [block.text] : [])).join('');
}

/** What most of the recorded streams report. */
export const usage = {
  inputTokens: 120,
  outputTokens: 34,
  totalTokens: 154,
  cacheReadTokens: 64,
  cacheWriteTokens: 0,
  reasoningTokens: 8,
};
export const data = (value: unknown) => ({ providerData: { provider: 'anthropic', data: value } });
export const say = (text: string) => ({ type: 'text', text });
export const thought = (text: string, signature: string) => ({ type: 'thinking', text, ...data({ signature }) });
export const echo = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'echo', input });
export const greeting = say('Hello, w\u00f6rld \u{1F30D}!');
export const hi = echo('toolu_01A', { text: 'h\u00ef' });
export const one = echo('toolu_01A', { text: 'one' });
export const two = echo('toolu_01B', { text: 'two' });
export const now = { type: 'tool_use', id: 'toolu_01A', name: 'now', input: {} };
