import {
  createServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { closing } from './hubs.ts';
import { type PlainServerOptions, plainServer } from './plain-server.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}
/** A real server over HTTP, and what it has been asked. */
export interface HttpMcpServer extends Listening {
  readonly requests: { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Drops all sessions, as a server does that was started again. */
  forget(): void;
}

/** Listens on a port of this machine until it is stopped, or the test has ended. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  port = 0,
): Promise<Listening> {
  const server: HttpServer = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  closing(stop);
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}/mcp`, port: own, stop };
}

/** Undefined for a client that has left before its end. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return await text(request).then(JSON.parse, () => undefined);
}

/** `isForgetful`: it drops the session whenever a tool is called. */
export async function streamable(
  { isForgetful = false, ...options }: PlainServerOptions & { readonly isForgetful?: boolean } = {},
  port = 0,
): Promise<HttpMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const requests: HttpMcpServer['requests'] = [];
  const listening = await listen(async (request, response) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    const body: unknown = request.method === 'POST' ? await bodyOf(request) : undefined;
    const isForgotten = isForgetful && (body as { readonly method?: string } | undefined)?.method === 'tools/call';
    if (isForgotten) sessions.clear();
    if (known && !isForgotten) return await known.handleRequest(request, response, body);
    if (id !== undefined) return response.writeHead(404).end('Session not found');
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await plainServer(options).connect(transport);
    return await transport.handleRequest(request, response, body);
  }, port);
  return { ...listening, requests, forget: () => sessions.clear() };
}

export async function eventStream(options: PlainServerOptions = {}, port = 0): Promise<HttpMcpServer> {
  const sessions = new Map<string, SSEServerTransport>();
  const requests: HttpMcpServer['requests'] = [];
  const listening = await listen(async (request, response) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    const id = new URL(request.url ?? '/', 'http://a').searchParams.get('sessionId');
    if (id !== null) return await sessions.get(id)?.handlePostMessage(request, response);
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    return await plainServer(options).connect(transport);
  }, port);
  return { ...listening, requests, forget: () => sessions.clear() };
}
