import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** What the server answers to one request. */
export interface WireAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Default: `content-type: text/event-stream`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Bytes of one write; default: everything in one. */
  readonly chunkBytes?: number;
  /** The connection is closed after so many bytes of the body; 0 closes it before the status line. */
  readonly cutAt?: number;
  /** Milliseconds between two writes. */
  readonly delayMs?: number;
  /** The body is never ended. */
  readonly hangs?: boolean;
  /** Nothing is answered at all, and the connection stays open. */
  readonly silent?: boolean;
}
/** What came in. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** Resolves when the connection is closed by whoever, or the answer is complete. */
  readonly settled: Promise<'closed' | 'complete'>;
}
export interface WireServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** How many connections were opened. */
  readonly connections: number;
  /** Closes all connections too. */
  readonly close: () => Promise<void>;
}
/** One answer for all, one for each request (the last for all that follow), or a function of the request and its number from 1. */
export type WireScript = WireAnswer | readonly WireAnswer[] | ((request: WireRequest, number: number) => WireAnswer);

/** A real HTTP server on a free loopback port that replays given bytes. */
export async function wireServer(script: WireScript): Promise<WireServer> {
  const requests: WireRequest[] = [];
  let connections = 0;
  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing, (request) => answerOf(script, request, requests.push(request))).catch(() =>
      incoming.destroy(),
    );
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // safe: it listens on a port
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answerOf(script: WireScript, request: WireRequest, number: number): WireAnswer {
  if (typeof script === 'function') return script(request, number);
  return (isList(script) ? (script[number - 1] ?? script.at(-1)) : script) ?? {};
}

function isList(script: WireAnswer | readonly WireAnswer[]): script is readonly WireAnswer[] {
  return Array.isArray(script);
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: WireRequest) => WireAnswer,
) {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer); // safe: no encoding was set
  const { method = '', url = '', headers } = incoming;
  const settled = new Promise<'closed' | 'complete'>((resolve) => {
    outgoing.on('close', () => resolve(outgoing.writableFinished ? 'complete' : 'closed'));
  });
  await play(outgoing, answer({ method, path: url, headers, body: Buffer.concat(pieces).toString('utf8'), settled }));
}

async function play(outgoing: ServerResponse, answer: WireAnswer): Promise<void> {
  const { status = 200, headers = { 'content-type': 'text/event-stream' }, delayMs, hangs = false } = answer;
  const body = Buffer.from(answer.body ?? '');
  const end = Math.min(answer.cutAt ?? body.length, body.length);
  if (answer.silent) return;
  if (answer.cutAt === 0) return void outgoing.destroy();
  outgoing.writeHead(status, headers);
  const step = answer.chunkBytes ?? Math.max(end, 1);
  for (let start = 0; start < end && !outgoing.destroyed; start += step) {
    await new Promise<void>((resolve) =>
      outgoing.write(body.subarray(start, Math.min(start + step, end)), () => resolve()),
    );
    await (delayMs === undefined ? nextTurn() : wait(delayMs));
  }
  if (answer.cutAt !== undefined) outgoing.destroy();
  else if (hangs) outgoing.flushHeaders();
  else outgoing.end();
}
