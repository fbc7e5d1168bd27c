// @peer raw-fetch
// @deps {"eventsource-parser":"4.1.3"}
// @floor raw-fetch-anthropic
// The floor of Anthropic Messages.
import { createMessagesLoop } from './parts/messages-loop.mjs';
import { streamData } from './parts/raw-stream.mjs';

const HEADERS = { 'content-type': 'application/json', 'x-api-key': 'x', 'anthropic-version': '2023-06-01' };

export function createSession({ baseURL, model, tool }) {
  const url = `${baseURL}/messages`;
  return createMessagesLoop({
    model,
    tool,
    streamEvents: (body, onEvent) =>
      streamData({ url, headers: HEADERS, body: { ...body, stream: true } }, (data) => onEvent(JSON.parse(data))),
  });
}
