// @peer openai-sdk
// @deps {"openai":"7.55.0"}
// @floor raw-fetch-responses
// The openai client around the smallest loop over Responses.
import OpenAI from 'openai';
import { createResponsesLoop } from './parts/responses-loop.mjs';
import { oncePerModel } from './parts/shared.mjs';

const clientFor = oncePerModel(({ baseURL }) => new OpenAI({ baseURL, apiKey: 'x', maxRetries: 0 }));

export function createSession(options) {
  const client = clientFor(options);
  return createResponsesLoop({
    model: options.model,
    tool: options.tool,
    async streamEvents(body, onEvent) {
      for await (const event of await client.responses.create(body)) onEvent(event);
    },
  });
}
