// @deps {"@anthropic-ai/sdk":"1.12.0"}
// @floor raw-fetch-anthropic
// The Anthropic client's stream helper around the smallest loop.
import Anthropic from '@anthropic-ai/sdk';
import { createMessagesLoop } from './parts/messages-loop.mjs';
import { oncePerModel } from './parts/shared.mjs';

const clientFor = oncePerModel(({ origin }) => new Anthropic({ baseURL: origin, apiKey: 'x', maxRetries: 0 }));

export function createSession(options) {
  const client = clientFor(options);
  return createMessagesLoop({
    model: options.model,
    tool: options.tool,
    async streamEvents(body, onEvent) {
      for await (const event of client.messages.stream(body)) onEvent(event);
    },
  });
}
