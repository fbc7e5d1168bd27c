// @peer raw-fetch
// @deps {"eventsource-parser":"4.1.3"}
// @floor raw-fetch-responses
// The floor of OpenAI Responses.
import { streamData } from './parts/raw-stream.mjs';
import { createResponsesLoop } from './parts/responses-loop.mjs';

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer x' };

export function createSession({ baseURL, model, tool }) {
  const url = `${baseURL}/responses`;
  return createResponsesLoop({
    model,
    tool,
    streamEvents: (body, onEvent) => streamData({ url, headers: HEADERS, body }, (data) => onEvent(JSON.parse(data))),
  });
}
