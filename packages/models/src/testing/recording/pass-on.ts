import { type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TimedChunk } from './edit-chunks.ts';
import type { SeenExchange } from './seen-exchange.ts';
import type { RecordedHeader } from './wire-recording.ts';

/** Headers of one connection (RFC 9110 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect']);
/** Not a whole address, whose host would not be the target's, and nothing that Node refuses to send. */
const PATH = /^\/[\x21-\x7e]*$/;

/**
 * Passes one request on to `target`, whose path is prepended to that of the request, over its own connection: a kept one may have died.
 * Resolves when the exchange is over, in any way; with undefined for a request that was not passed on.
 */
export async function passOn(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<SeenExchange | undefined> {
  const { method = '', url = '', rawHeaders } = incoming;
  if (!PATH.test(url)) {
    outgoing.writeHead(400).end('the request must be for a path of ASCII characters');
    return undefined;
  }
  const body: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => body.push(piece));
  try {
    const answer = await answerTo(incoming, outgoing, openRequest(target, incoming));
    const passed = answer && (await passAnswer(answer, outgoing));
    return { method, path: url, headers: pairs(rawHeaders), body: Buffer.concat(body), answer: passed };
  } finally {
    if (!outgoing.writableEnded) outgoing.destroy();
  }
}

function openRequest(target: URL, incoming: IncomingMessage): ClientRequest {
  const open = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return open({
    agent: false,
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: incoming.method ?? 'GET',
    path: target.pathname.replace(/\/$/, '') + incoming.url,
    headers: requestHeaders(incoming, target.host),
  });
}

/** The head of the answer; undefined when the connection ends before it. */
async function answerTo(incoming: IncomingMessage, outgoing: ServerResponse, upstream: ClientRequest) {
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  incoming.on('error', () => upstream.destroy());
  incoming.pipe(upstream);
  return await new Promise<IncomingMessage | undefined>((resolve) => {
    upstream.on('response', resolve);
    upstream.on('error', () => resolve(undefined));
    upstream.on('close', () => resolve(undefined));
  });
}

async function passAnswer(answer: IncomingMessage, outgoing: ServerResponse): Promise<SeenExchange['answer']> {
  const { statusCode: status = 502, statusMessage = '', rawHeaders } = answer;
  const start = performance.now();
  const chunks: TimedChunk[] = [];
  outgoing.sendDate = false;
  outgoing.writeHead(status, statusMessage, passedHeaders(rawHeaders).flat());
  outgoing.flushHeaders();
  let flushed: Promise<void> = Promise.resolve();
  const over = new Promise((resolve) => answer.on('close', resolve));
  answer.on('error', () => undefined); // who broke off is seen below
  // events, because an iterator joins waiting pieces
  answer.on('data', (bytes: Buffer) => {
    chunks.push({ bytes, atMs: performance.now() - start });
    answer.pause(); // the service waits while the client does
    flushed = written(outgoing, bytes).then(() => void answer.resume());
  });
  await over;
  await flushed;
  const end = answer.complete ? 'complete' : outgoing.destroyed ? 'left' : 'cut';
  if (end === 'complete') await new Promise<void>((resolve) => outgoing.on('close', resolve).end(resolve));
  return { status, headers: pairs(rawHeaders), chunks, end };
}

/** Resolves when the bytes have left the process, or the client has gone. */
function written(outgoing: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('close', done);
    outgoing.write(bytes, done);
  });
}

/** The headers unchanged, except that the host is the service's, and compression is off: compressed data cannot be redacted. */
function requestHeaders({ rawHeaders }: IncomingMessage, host: string): string[] {
  const kept = passedHeaders(rawHeaders).filter(([name]) => !/^(?:host|accept-encoding)$/i.test(name));
  return [['host', host], ['accept-encoding', 'identity'], ...kept].flat();
}

function passedHeaders(raw: readonly string[]): readonly RecordedHeader[] {
  return pairs(raw).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
}

function pairs(raw: readonly string[]): readonly RecordedHeader[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]); // names and values in turn
}
