import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { playAnswer, type WireAnswer } from './wire-answer.ts';

/** A received request. */
export interface WireRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Read as UTF-8. */
  readonly body: string;
  /** Bytes of the answer's body that have left the process so far. Stays the same while the reader does not read. */
  readonly written: number;
  /** Resolves when the connection is closed by either side, or the answer is complete. */
  readonly settled: Promise<'closed' | 'complete'>;
}
/** A server that is listening. */
export interface WireServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly WireRequest[];
  /** Number of connections opened. */
  readonly connections: number;
  /** Closes all connections too, and resolves when they are closed. May be called twice. */
  readonly close: () => Promise<void>;
}
/** One answer for all requests, one for each (the last for all that follow), or a function of the request and its number from 1. */
export type WireScript = WireAnswer | readonly WireAnswer[] | ((request: WireRequest, number: number) => WireAnswer);

/** Opens a real HTTP server on a free loopback port that replays given bytes. Closed by the caller: `await using`, or `close()`. */
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
  let written = 0;
  const request: WireRequest = {
    method,
    path: url,
    headers,
    body: Buffer.concat(pieces).toString('utf8'),
    get written() {
      return written;
    },
    settled,
  };
  await playAnswer(outgoing, answer(request), (bytes) => (written += bytes));
}
