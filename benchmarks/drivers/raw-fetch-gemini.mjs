// @peer raw-fetch
// @deps {"eventsource-parser":"4.1.3"}
// @floor raw-fetch-gemini
// The floor of Gemini.
import { createContentsLoop, declareTool } from './parts/contents-loop.mjs';
import { streamData } from './parts/raw-stream.mjs';
import { SYSTEM_PROMPT } from './parts/shared.mjs';

const HEADERS = { 'content-type': 'application/json', 'x-goog-api-key': 'x' };

export function createSession({ origin, model, tool }) {
  const url = `${origin}/v1beta/models/${model}:streamGenerateContent?alt=sse`;
  const systemInstruction = { parts: [{ text: SYSTEM_PROMPT }] };
  const tools = [declareTool(tool)];
  return createContentsLoop({
    tool,
    streamChunks: (contents, onChunk) =>
      streamData({ url, headers: HEADERS, body: { systemInstruction, tools, contents } }, (data) =>
        onChunk(JSON.parse(data)),
      ),
  });
}
