// @deps {"eventsource-parser":"4.1.3"}
// The floor that all ratios refer to: global fetch and an event stream parser around the smallest loop.
import { createParser } from 'eventsource-parser';
import { createChatLoop } from './parts/chat-loop.mjs';

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer x' };

export function createSession({ baseURL, model, tool }) {
  return createChatLoop({
    model,
    tool,
    async streamChunks(body, onChunk) {
      const url = `${baseURL}/chat/completions`;
      const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const parser = createParser({
        onEvent: ({ data }) => {
          if (data !== '[DONE]') onChunk(JSON.parse(data));
        },
      });
      const decoder = new TextDecoder();
      for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }));
    },
  });
}
