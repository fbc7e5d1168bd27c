import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { McpServerConfig } from '../../src/index.ts';
import { listen, streamable } from '../../test/support/http-servers.ts';
import type { Facts, HostileCase } from './hostile-trial.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const at =
  (answer: Answer, type: 'http' | 'sse' = 'http') =>
  async (): Promise<McpServerConfig> => {
    const { url } = await listen(answer);
    return { type, url, headers: { Authorization: 'Bearer secret' } };
  };
const failed =
  (words: RegExp) =>
  ({ status: { status, error = '' } }: Facts) =>
    status !== 'connected' && words.test(error);
const noMore = { reconnect: { attempts: 0 } };
const json = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };
const big = 'x'.repeat(1024 * 1024);

function flood(response: ServerResponse, begin: string): void {
  response.write(begin);
  for (let count = 0; count < 12; count += 1) response.write(big);
  response.end();
}

const stolen: string[] = [];

/** HTTP servers that do not play by the rules. */
export const web: readonly HostileCase[] = [
  {
    name: 'HTTP: never answers',
    server: at(() => undefined),
    config: { connectTimeoutMs: 300 },
    options: noMore,
    holds: failed(/no answer|timed out/),
  },
  {
    name: 'HTTP: sends one byte, and waits',
    server: at((_, response) => response.writeHead(200, json).write('{')),
    config: { connectTimeoutMs: 300 },
    options: noMore,
    holds: failed(/no answer|timed out/),
  },
  {
    name: 'HTTP: refuses with 500',
    server: at((_, response) => response.writeHead(500).end('broken')),
    options: noMore,
    holds: failed(/broken/),
  },
  {
    name: 'HTTP: refuses with 401',
    server: at((_, response) => response.writeHead(401).end()),
    holds: failed(/MCP server bad/),
  },
  {
    name: 'HTTP: answers with a page',
    server: at((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
    holds: failed(/content type/),
  },
  {
    name: 'HTTP: answers with broken JSON',
    server: at((_, response) => response.writeHead(200, json).end('{"a')),
    holds: failed(/JSON/),
  },
  {
    name: 'HTTP: hangs up',
    server: at((request) => request.socket.destroy()),
    options: noMore,
    holds: failed(/cannot be reached/),
  },
  {
    name: 'HTTP: 12 MB of JSON',
    server: at((_, response) => flood(response.writeHead(200, json), '"')),
    options: noMore,
    holds: failed(/more than/),
  },
  {
    name: 'HTTP: an event of 12 MB',
    server: at((_, response) => flood(response.writeHead(200, stream), 'data: ')),
    options: noMore,
    holds: failed(/more than/),
  },
  {
    name: 'HTTP: 100 MB in a small file',
    server: at((_, response) =>
      response
        .writeHead(200, { ...json, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '))),
    ),
    options: noMore,
    holds: failed(/more than/),
  },
  {
    name: 'HTTP: leads credentials away',
    server: async () => {
      const other = await listen((request, response) => {
        stolen.push(String(request.headers.authorization));
        response.writeHead(200).end();
      });
      return await at((_, response) => response.writeHead(307, { location: other.url }).end())();
    },
    holds: (facts) => failed(/redirect/)(facts) && stolen.length === 0,
  },
  {
    name: 'HTTP: leads round in circles',
    server: at((request, response) => response.writeHead(307, { location: request.url }).end()),
    options: noMore,
    holds: failed(/redirect|MCP server bad/),
  },
  {
    name: 'HTTP: an address of a metadata service',
    server: async () => ({ type: 'http', url: 'http://[::ffff:169.254.169.254]/latest/meta-data' }),
    holds: failed(/must not be reached/),
  },
  {
    name: 'HTTP: forgets its sessions all the time',
    server: async () => {
      const { url, forget } = await streamable();
      setInterval(forget, 1).unref();
      return { type: 'http', url };
    },
    options: noMore,
    holds: async ({ call, status }) => status.status !== 'connected' || (await call('echo')) !== undefined,
  },
  {
    name: 'SSE: sends messages to another origin',
    server: at(
      (_, response) => response.writeHead(200, stream).write('event: endpoint\ndata: http://127.0.0.1:9/steal\n\n'),
      'sse',
    ),
    options: noMore,
    holds: failed(/origin/),
  },
  {
    name: 'SSE: never names its endpoint',
    server: at((_, response) => response.writeHead(200, stream).write(':\n\n'), 'sse'),
    config: { connectTimeoutMs: 300 },
    options: noMore,
    holds: failed(/no answer/),
  },
  {
    name: 'SSE: an event of 12 MB',
    server: at((_, response) => flood(response.writeHead(200, stream), 'data: '), 'sse'),
    options: noMore,
    holds: failed(/more than|SSE/),
  },
];
