import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedFetch } from './guarded-fetch.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The port of a server on 127.0.0.1. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const admitsAll = { admitsAddress: () => true };
const v4 = (address: string) => ({ address, family: 4 });

describe('guardedFetch', () => {
  it('sends method, headers and body, and answers with status, headers and body', async () => {
    const port = await serve((request, response) => {
      response.writeHead(418, { 'x-one': ['1', '2'], 'x-asked': JSON.stringify(request.headers) });
      request.pipe(response);
    });
    const request = new Request(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'X-Mine': 'a' },
      body: 'text',
    });

    const response = await guardedFetch(request, admitsAll);

    expect([response.status, response.headers.get('x-one')]).toEqual([418, '1, 2']);
    expect(JSON.parse(response.headers.get('x-asked') ?? '')).toMatchObject({ 'x-mine': 'a' });
    expect(await response.text()).toBe('text');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('hands out a body that came in %s without it', async (coding, compress) => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(compress(Buffer.from('plain')));
    });

    const response = await guardedFetch(new Request(`http://127.0.0.1:${port}/`), admitsAll);

    expect(await response.text()).toBe('plain');
    expect(response.headers.has('content-encoding')).toBe(false);
  });

  it('hands out a redirect and follows none', async () => {
    const port = await serve((_, response) => void response.writeHead(302, { location: '/next' }).end());

    const response = await guardedFetch(new Request(`http://127.0.0.1:${port}/`), admitsAll);

    expect([response.status, response.headers.get('location')]).toEqual([302, '/next']);
  });

  it('connects to the address that was judged, not to what the name stands for by then', async () => {
    const seen: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      seen.push(request.headers.host);
      response.end();
    });
    const answers = [[v4('127.0.0.1')], [v4('127.0.0.2')]];
    const asked: string[] = [];

    await guardedFetch(new Request(`http://name.example:${port}/`), {
      admitsAddress: (address) => asked.push(address) > 0,
      lookup: async () => answers.shift() ?? [],
    });

    expect(asked).toEqual(['127.0.0.1']);
    expect(answers).toHaveLength(1);
    expect(seen).toEqual([`name.example:${port}`]);
  });

  it.each([[[v4('127.0.0.1')]], [[v4('1.1.1.1'), v4('127.0.0.1')]], [[v4('127.0.0.1'), v4('1.1.1.1')]]])(
    'sends nothing to a name when one of its addresses is refused: %j',
    async (addresses) => {
      let requests = 0;
      const port = await serve((_, response) => void response.end(`${++requests}`));
      const admitsAddress = (address: string) => address === '1.1.1.1';

      const sent = guardedFetch(new Request(`http://name.example:${port}/`), {
        admitsAddress,
        lookup: async () => addresses,
      });

      await expect(sent).rejects.toMatchObject({ code: 'AUTHORIZATION_ERROR' });
      expect(requests).toBe(0);
    },
  );

  it('fails for a name without an address, and for an address where nobody listens', async () => {
    const port = await serve((_, response) => void response.end());
    servers.pop()?.close();
    const nobody = guardedFetch(new Request(`http://127.0.0.1:${port}/`), admitsAll);
    await expect(nobody).rejects.toThrow('ECONNREFUSED');

    const nowhere = guardedFetch(new Request('http://name.example/'), { ...admitsAll, lookup: async () => [] });
    await expect(nowhere).rejects.toThrow('name.example has no address');
  });

  it('fails with what the body of the request fails with, and speaks TLS where it is asked to', async () => {
    const port = await serve((request) => void request.resume());
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('cannot be read')) });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;

    await expect(guardedFetch(new Request(`http://127.0.0.1:${port}/`, init), admitsAll)).rejects.toThrow(
      'cannot be read',
    );
    await expect(guardedFetch(new Request(`https://127.0.0.1:${port}/`), admitsAll)).rejects.toThrow(
      /SSL|TLS|wrong version/,
    );
  });

  it.each(['', 'gzip'])(
    'ends with the signal while it resolves, while it waits and while it reads (%s)',
    async (coding) => {
      const port = await serve((request, response) => {
        if (request.url === '/silent') return;
        response.writeHead(200, coding ? { 'content-encoding': coding } : {}).write(gzipSync(Buffer.alloc(100_000)));
      });
      const stop = new AbortController();
      const ask = (path: string, lookup = async () => [v4('127.0.0.1')]) =>
        guardedFetch(new Request(`http://n.example:${port}${path}`, { signal: stop.signal }), { ...admitsAll, lookup });
      const unread = await ask('/');
      const reading = (await ask('/')).text();
      const waiting = Promise.allSettled([ask('/silent'), ask('/', () => new Promise(() => undefined)), reading]);

      stop.abort();

      expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await expect(ask('/')).rejects.toMatchObject({ name: 'AbortError' });
      await unread.body?.cancel();
    },
  );

  it('closes the connection when the body is not wanted', async () => {
    const closed = Promise.withResolvers<void>();
    const port = await serve((_, response) => {
      response.on('close', closed.resolve).write('x');
    });

    const response = await guardedFetch(new Request(`http://127.0.0.1:${port}/`), admitsAll);
    await response.body?.cancel();

    await expect(closed.promise).resolves.toBeUndefined();
  });

  it('refuses a name without an address, and closes the connection of an answer that is none', async () => {
    const closed = Promise.withResolvers<void>();
    const port = await serve((_, response) => {
      response.on('close', closed.resolve).writeHead(700).write('x');
    });
    const ask = (lookup: () => Promise<{ address: string; family: number }[]>) =>
      guardedFetch(new Request(`http://n.example:${port}/`), { ...admitsAll, lookup });

    await expect(ask(async () => [])).rejects.toThrow('n.example has no address');
    await expect(ask(async () => [v4('127.0.0.1')])).rejects.toThrow(RangeError);
    await expect(closed.promise).resolves.toBeUndefined();
  });

  it.each([204, 205, 304])('has no body with status %i', async (status) => {
    const port = await serve((_, response) => void response.writeHead(status).end());

    const response = await guardedFetch(new Request(`http://127.0.0.1:${port}/`), admitsAll);

    expect([response.status, response.body]).toEqual([status, null]);
  });
});
