// @deps {"@google/genai":"3.1.0"}
// @floor raw-fetch-gemini
// The Google GenAI client around the smallest loop.
import { GoogleGenAI } from '@google/genai';
import { createContentsLoop, declareTool } from './parts/contents-loop.mjs';
import { oncePerModel, SYSTEM_PROMPT } from './parts/shared.mjs';

const clientFor = oncePerModel(({ origin }) => new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: origin } }));

export function createSession(options) {
  const client = clientFor(options);
  const config = { systemInstruction: SYSTEM_PROMPT, tools: [declareTool(options.tool)] };
  return createContentsLoop({
    tool: options.tool,
    async streamChunks(contents, onChunk) {
      const chunks = await client.models.generateContentStream({ model: options.model, contents, config });
      for await (const chunk of chunks) onChunk(chunk);
    },
  });
}
