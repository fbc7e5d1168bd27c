/** Forty MCP servers over HTTP with fifty tools each, one for each path; prints its port. Without a library, so that they cost little. */
import { createServer } from 'node:http';

const properties = {
  query: { type: 'string', description: 'What to look for, in the words of the user.' },
  limit: { type: 'integer', description: 'At most so many results.', minimum: 1 },
  since: { type: 'string', description: 'Only what has changed since then, ISO 8601.' },
};
const tools = Array.from({ length: 50 }, (_, index) => ({
  name: `find_records_${index}`,
  description: `Finds records of the kind ${index} and says for each one where it is, who has made it and when it was changed last.`,
  inputSchema: { type: 'object', properties, required: ['query'] },
}));
const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'many', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
};

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

async function answer(request, response) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
  if (id === undefined) return response.writeHead(202).end();
  const result = RESULTS[method]?.(params) ?? {};
  response.writeHead(200, { 'content-type': 'application/json' });
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
