// @deps {"eventsource-parser":"4.1.3"}
// The floor of OpenAI Chat Completions: global fetch and an event stream parser around the smallest loop.
import { createChatLoop } from './parts/chat-loop.mjs';
import { streamData } from './parts/raw-stream.mjs';

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer x' };

export function createSession({ baseURL, model, tool }) {
  const url = `${baseURL}/chat/completions`;
  return createChatLoop({
    model,
    tool,
    streamChunks: (body, onChunk) =>
      streamData({ url, headers: HEADERS, body }, (data) => {
        if (data !== '[DONE]') onChunk(JSON.parse(data));
      }),
  });
}
