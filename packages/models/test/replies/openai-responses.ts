import { readFileSync } from 'node:fs';
import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { ResponsesReplyReader } from '../../src/openai-responses/from-stream.ts';

const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
const context = { provider: 'openai-compatible', apiKey: 'key-4711' };
/** A recorded stream. */
export const wire = (name: string) => readFileSync(new URL(`../wire/openai-responses/${name}.sse`, import.meta.url));

/** Reads the bytes in these pieces; a decoder keeps what is cut inside a character. */
export function read(pieces: readonly Uint8Array[]) {
  const decoder = new TextDecoder();
  const reply = new ResponsesReplyReader({ model: 'gpt-5-mini', request, context });
  const events = pieces.flatMap((piece) => reply.push(decoder.decode(piece, { stream: true })));
  return { events: [...events, ...reply.end()], message: reply.message() };
}
export const readText = (text: string) => read([Buffer.from(text)]);

/** What is said, without what goes back to the service. */
export function facts({ content, usage, stopReason }: AssistantMessage) {
  return { content: content.map(({ providerData: _, ...block }) => block), usage, stopReason };
}
