import type { AssistantMessage, Message, ModelRequest, TokenUsage } from '@x/core';
import { resultMedia } from '@x/core/internal';

const CHARACTERS_PER_TOKEN = 4;
/** Estimated tokens of an image, whatever its size. */
const TOKENS_PER_IMAGE = 1_000;
/** Of a PDF or a sound, as base64; only the service counts its pages or seconds. */
const BYTES_PER_TOKEN = 60;

/** Estimates the usage of a call whose service reported none: a token for every four characters. */
export function estimatedUsage(request: ModelRequest, reply: AssistantMessage['content']): TokenUsage {
  let inputTokens = tokensIn(request.instruction);
  for (const { name, description, inputSchema } of request.tools) {
    inputTokens += tokensIn(name) + tokensIn(description) + tokensIn(JSON.stringify(inputSchema.json));
  }
  for (const { content } of request.messages) inputTokens += tokensOf(content);
  const outputTokens = tokensOf(reply);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

function tokensOf(content: Message['content']): number {
  let tokens = 0;
  for (const block of content) {
    if (block.type === 'text' || block.type === 'thinking') tokens += tokensIn(block.text);
    else if (block.type === 'image' || block.type === 'link') tokens += TOKENS_PER_IMAGE;
    else if (block.type === 'file') tokens += TOKENS_PER_IMAGE + Math.ceil(block.data.length / BYTES_PER_TOKEN);
    else if (block.type === 'tool_use') tokens += tokensIn(block.name) + tokensIn(JSON.stringify(block.input) ?? '');
    else tokens += tokensIn(block.output) + tokensOf(resultMedia(block));
  }
  return tokens;
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
