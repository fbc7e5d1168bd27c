import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { AgentError } from '@x/core';
import type { Hono } from 'hono';
import type { RunningServer, ServerLimits } from '../settings/serve-options.ts';
import { readBody } from './read-body.ts';

/** Milliseconds between two looks for idle connections while the server closes. */
const SWEEP_MS = 20;

interface Place {
  readonly host: string;
  readonly port: number;
  readonly limits: ServerLimits;
  /** Ends what would keep connections open. */
  readonly onClose: () => void;
}

/** Listens with an app. @throws AgentError `LISTEN_FAILED` */
export async function listen(app: Hono, { host, port, limits, onClose }: Place): Promise<RunningServer> {
  const fetch = (request: Request, bindings: HttpBindings | Http2Bindings) => {
    const { incoming, outgoing } = bindings as HttpBindings; // safe: the server below speaks HTTP/1
    return app.fetch(request, { incoming, outgoing, readBody: (most: number) => readBody(incoming, most) });
  };
  const answer = getRequestListener(fetch, {
    errorHandler: () =>
      new Response(failure('The request cannot be read', 'VALIDATION_ERROR'), { status: 400, headers: JSON_TYPE }),
  });
  const answers = new WeakMap<Socket, ServerResponse>();
  /** Connections on which no request has come so far, such as a browser opens beforehand: to Node they are not idle. */
  const fresh = new Set<Socket>();
  const receive = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    fresh.delete(incoming.socket);
    answers.set(incoming.socket, outgoing);
    void answer(incoming, outgoing);
  };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeout,
      requestTimeout: limits.requestTimeout,
      keepAliveTimeout: limits.keepAliveTimeout,
      requireHostHeader: false, // a request without one is answered in the form of all errors
      connectionsCheckingInterval: Math.min(2_000, Math.ceil(limits.headersTimeout / 4)),
    },
    receive,
  );
  server.on('checkExpectation', receive); // an expectation that is unknown: Node would answer it past the guards, without a body
  // With a listener Node ends no idle connection by itself; one whose call takes its time is not idle.
  server.setTimeout(limits.requestTimeout, (socket) => {
    const isStalled = socket.writableLength > 0;
    if (isStalled || answers.get(socket)?.closed) socket.destroy();
  });
  server.maxConnections = limits.maxConnections;
  server.on('clientError', refuse);
  server.on('connection', (socket: Socket) => fresh.add(socket.once('close', () => fresh.delete(socket))));
  try {
    server.listen({ port, host: host.replace(/^\[(.*)\]$/, '$1') });
    await once(server, 'listening');
  } catch (cause) {
    throw new AgentError(`Cannot listen on ${host}, port ${port}`, { code: 'LISTEN_FAILED', cause });
  }
  const { port: own } = server.address() as AddressInfo; // safe: it listens on a port
  const leave = () => {
    onClose();
    for (const socket of fresh) socket.destroy();
  };
  const close = closer(server, limits.closeTimeout, leave);
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return { url: `http://${name}:${own}`, port: own, close, [Symbol.asyncDispose]: close };
}

function closer(server: Server, closeTimeout: number, onClose: () => void): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), closeTimeout);
      // Each answer that ends now leaves a connection that would wait for its next request.
      const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      server.close(() => {
        clearTimeout(timer);
        clearInterval(sweeping);
        resolve();
      });
      onClose();
      server.closeIdleConnections();
    });
    return closing;
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const STATUS_OF_FAULT: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

function failure(error: string, code: string): string {
  return JSON.stringify({ success: false, error, code });
}

/** Answers what never becomes a request: it came too slowly, or is no HTTP. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_FAULT[String(error.code)] ?? 400;
  const text = STATUS_CODES[status]!; // each of these has one
  const body = failure(text, status === 408 ? 'TIMEOUT' : 'VALIDATION_ERROR');
  const head = `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
}
