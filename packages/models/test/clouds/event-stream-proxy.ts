import { once } from 'node:events';
import { createServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';

/** A server that stands between a client of AWS and one that answers in server-sent events. */
export interface EventStreamProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Passes requests on, and writes each server-sent event of an answer as a message of an AWS event stream, as soon as it is whole
 * (docs.aws.amazon.com, "Event stream encoding"). `chunk` wraps its JSON as Bedrock does for a model's own format; `named` takes its one
 * member for the event. A cut answer is cut, an error becomes one of AWS. It
 * speaks HTTP/2, as the official client does.
 */
export async function eventStreamProxy(upstream: string, form: 'chunk' | 'named'): Promise<EventStreamProxy> {
  const server = createServer((request, answer) => {
    void passedOn(request, answer, { upstream, form }).catch(() => answer.stream.close(2)); // INTERNAL_ERROR
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session.once('close', () => sessions.delete(session))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // safe: it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

interface Way {
  readonly upstream: string;
  readonly form: 'chunk' | 'named';
}

async function passedOn(
  request: Http2ServerRequest,
  answer: Http2ServerResponse,
  { upstream, form }: Way,
): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const left = new AbortController();
  answer.on('close', () => left.abort());
  const { authorization = '' } = request.headers;
  const said = await fetch(upstream + request.url, {
    method: 'POST',
    body,
    headers: { authorization, 'content-type': 'application/json' },
    redirect: 'manual',
    signal: left.signal,
  });
  const headers = Object.fromEntries(
    [...said.headers].filter(([name]) => /^retry-after|^location$|request-id$/.test(name)),
  );
  const isStream = said.headers.get('content-type')?.includes('event-stream') ?? false;
  if (!said.ok || !isStream) {
    const text = await said.text();
    answer.writeHead(said.status, { ...headers, 'content-type': 'application/json' });
    answer.end(said.ok ? text : JSON.stringify({ message: messageIn(text) }));
    return;
  }
  answer.writeHead(200, { ...headers, 'content-type': 'application/vnd.amazon.eventstream' });
  let rest = '';
  for await (const piece of said.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split(/\r?\n\r?\n/);
    rest = events.pop()!; // there is one at least
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      if (data === undefined || data.trim() === '' || data === '[DONE]') continue;
      if (!answer.write(form === 'chunk' ? chunk(data) : named(data))) await once(answer, 'drain', left);
    }
  }
  answer.end();
}

function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
    return error?.message ?? text;
  } catch {
    return text;
  }
}

function chunk(data: string): Buffer {
  return message({ event: 'chunk' }, JSON.stringify({ bytes: Buffer.from(data).toString('base64') }));
}

function named(data: string): Buffer {
  const [[name, value] = ['', {}]] = Object.entries(JSON.parse(data) as object);
  return message(name.endsWith('Exception') ? { exception: name } : { event: name }, JSON.stringify(value));
}

/** A message: lengths, their checksum, headers, payload, the checksum of all. */
function message(kind: { readonly event?: string; readonly exception?: string }, payload: string): Buffer {
  const type = kind.event === undefined ? 'exception' : 'event';
  const headers = Buffer.concat([
    header(':message-type', type),
    header(`:${type}-type`, kind.event ?? kind.exception ?? ''),
    header(':content-type', 'application/json'),
  ]);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const start = Buffer.concat([prelude, number(crc32(prelude)), headers, body]);
  return Buffer.concat([start, number(crc32(start))]);
}

/** A header whose value is a text (type 7). */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
