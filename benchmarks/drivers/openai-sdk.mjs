// @deps {"openai":"7.55.0"}
// The openai client around the smallest loop.
import OpenAI from 'openai';
import { createChatLoop } from './parts/chat-loop.mjs';
import { oncePerModel } from './parts/shared.mjs';

const clientFor = oncePerModel(({ baseURL }) => new OpenAI({ baseURL, apiKey: 'x', maxRetries: 0 }));

export function createSession(options) {
  const client = clientFor(options);
  return createChatLoop({
    model: options.model,
    tool: options.tool,
    async streamChunks(body, onChunk) {
      for await (const chunk of await client.chat.completions.create(body)) onChunk(chunk);
    },
  });
}
