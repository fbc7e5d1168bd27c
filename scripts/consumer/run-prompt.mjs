// Copied into an empty project: one prompt() against a small OpenAI-compatible service in this process, and its list of models: the official client
// is built in with the parts that these two need.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createModel, createSession, defineTool, prompt, resumeSession, runAgent } from '@x/agent-sdk';
import { supportedModels } from '@x/models';

const functions = { createModel, createSession, defineTool, prompt, resumeSession, runAgent };
for (const [name, value] of Object.entries(functions)) assert.equal(typeof value, 'function', `${name} is a function`);

const chunks = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello ' } }] },
  { choices: [{ index: 0, delta: { content: 'from the package' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 } },
];
const requests = [];
const server = createServer((request, response) => void answerTo(request, response));
async function answerTo(request, response) {
  if (request.url === '/v1/models') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ object: 'list', data: [{ id: 'small', object: 'model' }] }));
  }
  let body = '';
  for await (const part of request) body += part;
  requests.push({ url: request.url, body: JSON.parse(body) });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const common = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'small' };
  for (const chunk of chunks) response.write(`data: ${JSON.stringify({ ...common, ...chunk })}\n\n`);
  response.end('data: [DONE]\n\n');
}
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

try {
  const { port } = server.address();
  const provider = { type: 'openai-compatible', apiKey: 'none', baseUrl: `http://127.0.0.1:${port}/v1` };
  const answer = await prompt('Say hello', { provider, model: 'small' });

  assert.equal(answer.result, 'Hello from the package');
  assert.equal(answer.usage.totalTokens, 16);
  assert.equal(requests.length, 1);
  assert.equal(requests[0].url, '/v1/chat/completions');
  assert.match(JSON.stringify(requests[0].body.messages.at(-1)), /Say hello/);
  assert.deepEqual(
    (await supportedModels(provider)).map(({ id }) => id),
    ['small'],
  );
} finally {
  server.closeAllConnections();
  server.close();
}
