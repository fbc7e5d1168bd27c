import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ToolRegistry } from '@x/registry';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp, type RunningServer, type ServeOptions, serve } from '../src/index.ts';
import { held } from './support/held.ts';
import { exchanged, opened, readToEnd, statusIn } from './support/raw.ts';
import { keptLog, toolsOf } from './support/served.ts';

const open: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function listening(options: ServeOptions = {}): Promise<RunningServer> {
  const server = await serve({ port: 0, registry: toolsOf(), logger: keptLog().logger, closeTimeout: 0, ...options });
  open.push(server);
  return server;
}
const call = { method: 'POST', headers: { 'content-type': 'application/json' } };
describe('serve', () => {
  it('H13 H21 answers a client that follows the redirect with its body', async () => {
    const { url } = await listening();
    const body = '{"name":"add-one","parameters":{"a":1}}';

    const direct = await fetch(`${url}/v1/tools/call`, { ...call, body });
    const led = await fetch(`${url}/tools/call`, { ...call, body });

    expect([direct.status, await direct.json()]).toMatchObject([200, { success: true, result: 2 }]);
    expect([led.redirected, await led.json()]).toMatchObject([true, { success: true, result: 2 }]);
  });

  it('answers a request with an expectation that it does not know like any other', async () => {
    const { port } = await listening({ token: 't' });
    const asked = (more: string) =>
      exchanged(
        port,
        `GET /v1/tools HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nExpect: more\r\n${more}\r\n`,
      );

    expect(await asked('')).toMatch(/^HTTP\/1\.1 401 [^]*"code":"AUTHENTICATION_ERROR"/);
    expect(statusIn(await asked('Authorization: Bearer t\r\n'))).toBe(200);
  });

  it('ZH01a takes loopback names with its own port alone', async () => {
    const { port } = await listening();
    const statusFor = async (host: string) =>
      statusIn(await exchanged(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));

    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor(`localhost:${port}`)).toBe(200);
    expect(await statusFor(`[::1]:${port}`)).toBe(200);
    expect(await statusFor(`localhost:${port === 65_535 ? 1 : port + 1}`)).toBe(403);
    expect(await statusFor('localhost')).toBe(403);
    expect(await statusFor('evil.attacker.com')).toBe(403);
  });

  it('H29 tells clients apart by their address', async () => {
    const { url } = await listening({ rateLimit: { max: 1, timeWindow: 60_000 } });

    expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([200, 429]);
  });

  it.each([
    ['NOT HTTP\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['GET / HTTP/1.0\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
  ])('answers %j, which is no request, in the form of all errors', async (text, status) => {
    const { port } = await listening();
    const answer = await exchanged(port, text);

    expect(statusIn(answer)).toBe(status);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ success: false, code: 'VALIDATION_ERROR' });
  });

  it.each(['TRACE', 'PROPFIND', 'BREW'])('answers the method %s with 405 or refuses it as no HTTP', async (method) => {
    const { port } = await listening();
    const text = await exchanged(
      port,
      `${method} /v1/tools HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    );

    expect(statusIn(text)).toBe(method === 'BREW' ? 400 : 405);
  });

  it.each(['/v1/tools/call', '/nope'])(
    'ZH01g answers 413 to an endless body at %s, with a length or in chunks',
    async (path) => {
      const { port } = await listening({ maxBodyBytes: 1_000 });
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
      const chunk = `3e8\r\n${'x'.repeat(1_000)}\r\n`;

      expect(
        statusIn(await exchanged(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`)),
      ).toBe(413);
      expect(statusIn(await exchanged(port, `${head}Content-Length: 3000\r\n\r\n${'x'.repeat(3_000)}`))).toBe(413);
    },
  );

  it('reads a body that comes in pieces, with a letter cut in two, and one of exactly the limit', async () => {
    const registry = new ToolRegistry();
    const text = { name: 'text', type: 'string', description: 'Which', required: true } as const;
    registry.register(
      { name: 'length', description: 'Letters', parameters: [text] },
      async ({ text: given }) => given.length,
    );
    const body = Buffer.from(JSON.stringify({ name: 'length', parameters: { text: 'ä'.repeat(500) } }));
    const { port } = await listening({ registry, maxBodyBytes: body.length });
    const socket = await opened(port);
    const reading = readToEnd(socket);
    const cut = body.indexOf('ä') + 1;
    socket.setNoDelay(true);
    socket.write(
      `POST /v1/tools/call HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const piece of [body.subarray(0, cut), body.subarray(cut)]) {
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
    }
    socket.write('0\r\n\r\n');

    expect(await reading).toContain('"result":500');
  });

  it('answers, in the log, 400 to a body whose sender goes away', async () => {
    const { logger, lines } = keptLog();
    const { port } = await listening({ logger, logLevel: 'info' });
    const socket = await opened(port);
    socket.write(
      `POST /v1/tools/call HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data'); // the server has begun to read
    socket.write('{');
    socket.resetAndDestroy();

    const requests = () => lines.flatMap(({ fields }) => ('status' in fields ? [fields.status] : []));
    await expect.poll(requests).toEqual([400]);
  });

  it('takes the body that a host has put in its place', async () => {
    const app = createApp({ registry: toolsOf() });
    const answer = getRequestListener(async (request, bindings) => {
      const { method, headers } = request;
      const body = JSON.stringify({ name: 'add-one', parameters: { a: 41 } });
      const replaced = new Request(request.url, {
        method,
        headers: { 'content-type': headers.get('content-type')! },
        body,
      });
      return await app.fetch(replaced, bindings);
    });
    const server = createHttpServer((incoming, outgoing) => void answer(incoming, outgoing));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // safe: it listens on a port
    const given = JSON.stringify({ name: 'add-one', parameters: { a: 1 } });
    const answered = await fetch(`http://127.0.0.1:${port}/v1/tools/call`, { ...call, body: given });

    expect(await answered.json()).toMatchObject({ result: 42 });
    server.close();
    server.closeAllConnections();
  });

  it('ZH01g ends a connection that goes on sending what was refused', async () => {
    const { port } = await listening({ maxBodyBytes: 1_000 });
    const socket = await opened(port);
    const reading = readToEnd(socket);
    socket.write(`POST /nope HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    let sent = 0;
    const pour = () => {
      while (socket.writable && sent < 1_000_000_000) {
        sent += 65_536;
        if (!socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)) return;
      }
    };
    socket.on('drain', pour);
    pour();

    const answer = await reading; // the end of the connection may overtake it
    expect([413, Number.NaN]).toContain(statusIn(answer));
    expect(sent).toBeLessThan(1_000_000_000);
  });

  it('ZH01i closes a connection whose headers, or whose body, come too slowly', async () => {
    const { port } = await listening({ headersTimeout: 100, requestTimeout: 200 });
    const head = `POST /v1/tools/call HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;

    const [slowHead, slowBody, silent] = await Promise.all([
      exchanged(port, head),
      exchanged(port, `${head}Content-Length: 10\r\n\r\n{`),
      exchanged(port, 'G'),
    ]);

    expect([slowHead, slowBody, silent].map(statusIn)).toEqual([408, 408, 408]);
    expect(slowHead).toContain('"code":"TIMEOUT"');
  });

  it('ZH04 serves others while many come slowly', async () => {
    const { port, url } = await listening({ headersTimeout: 30_000 });
    const slow = await Promise.all(Array.from({ length: 200 }, () => opened(port)));
    for (const socket of slow) socket.write('GET / HTTP/1.1\r\nHost: ');

    expect((await fetch(url)).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  it('closes connections beyond the most that it holds', async () => {
    const { port } = await listening({ maxConnections: 1 });
    const first = await opened(port);
    const second = connect(port, '127.0.0.1');

    await once(second, 'close');

    expect([first.destroyed, second.destroyed]).toEqual([false, true]);
    first.destroy();
  });

  it('says by a typed error that the port is taken, and that the times contradict each other', async () => {
    const { port } = await listening();

    await expect(serve({ port })).rejects.toMatchObject({ name: 'AgentError', code: 'LISTEN_FAILED' });
    await expect(serve({ headersTimeout: 2, requestTimeout: 1 })).rejects.toMatchObject({ field: 'headersTimeout' });
  });
});

describe('close', () => {
  it('H32 waits for a call that runs, and may be called again', async () => {
    const { registry, begun, end } = held();
    const server = await listening({ registry, closeTimeout: 60_000 });
    const answering = fetch(`${server.url}/v1/tools/call`, { ...call, body: '{"name":"held"}' });
    await begun;

    const closing = server.close();
    end('done');
    const answer = await answering;
    await Promise.all([closing, server.close()]);

    expect(await answer.json()).toMatchObject({ success: true, result: 'done' });
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });

  it('H32 ends connections that wait for nothing, and calls that do not end', async () => {
    const { registry, begun } = held();
    const server = await listening({ registry, closeTimeout: 10 });
    const idle = await opened(server.port);
    const answering = fetch(`${server.url}/v1/tools/call`, { ...call, body: '{"name":"held"}' });
    const signal = await begun;

    const ended = once(idle, 'close');
    await Promise.all([server.close(), expect(answering).rejects.toThrow('fetch failed'), ended]);

    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('waits for no connection on which no request has come', async () => {
    const minutes = { headersTimeout: 600_000, requestTimeout: 600_000, closeTimeout: 600_000 };
    const server = await listening(minutes);
    const beforehand = await opened(server.port);
    await (await fetch(server.url)).text(); // it is accepted by now
    const ended = once(beforehand, 'close');

    await Promise.all([server.close(), ended]);

    expect(beforehand.destroyed).toBe(true);
  });

  it('a caller that goes away ends its call', async () => {
    const { registry, begun } = held();
    const server = await listening({ registry });
    const leaving = new AbortController();
    const answering = fetch(`${server.url}/v1/tools/call`, {
      ...call,
      body: '{"name":"held"}',
      signal: leaving.signal,
    });
    const signal = await begun;

    leaving.abort();
    await expect(answering).rejects.toThrow('abort');

    await expect.poll(() => signal?.aborted).toBe(true);
  });
});
