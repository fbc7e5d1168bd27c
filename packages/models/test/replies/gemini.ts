import { readFileSync } from 'node:fs';
import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { expect } from 'vitest';
import { GeminiReplyReader } from '../../src/gemini/from-stream.ts';

export const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
/** A recorded stream. */
export const wire = (name: string) => readFileSync(new URL(`../wire/gemini/${name}.sse`, import.meta.url));
/** The bytes of a stream of these chunks. */
export const sse = (...chunks: readonly unknown[]) =>
  Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
/** A chunk that says these parts. */
export const say = (parts: unknown, more: object = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, ...more }],
});
export const stop = { finishReason: 'STOP' };

/** Reads the bytes in these pieces; a decoder keeps what is cut inside a character. */
export function read(pieces: readonly Uint8Array[]) {
  const decoder = new TextDecoder();
  const reply = new GeminiReplyReader({
    model: 'gemini-2.5-flash',
    request,
    context: { provider: 'gemini', apiKey: 'key-4711' },
  });
  const events = pieces.flatMap((piece) => reply.push(decoder.decode(piece, { stream: true })));
  return { events: [...events, ...reply.end()], message: reply.message() };
}
/** A reply, but for when it came. */
export function facts({ content, usage, stopReason }: AssistantMessage) {
  return { content, usage, stopReason };
}

export const data = (kept: object) => ({ providerData: { provider: 'gemini', data: kept } });
export const signed = (signature: string) => data({ signature });
export const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more });
export const call = (id: unknown, name: string, input: unknown, more: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
  ...more,
});
/** The id that a call gets which has none. */
export const anyId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
/** What most of the recorded streams report. */
export const usage = { inputTokens: 120, outputTokens: 34, totalTokens: 154, cacheReadTokens: 64, reasoningTokens: 8 };
