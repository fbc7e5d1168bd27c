import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';

const eventOf = (cursor: string) =>
  `id: ${cursor}\ndata: ${JSON.stringify({ cursor, agentPath: [], event: { type: 'content', delta: cursor } })}\n\n`;
const streamed = (cursor: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`retry: 1\n${eventOf(cursor)}`);
const refused = (status: number, code: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    .end(JSON.stringify({ success: false, error: 'No', code }));

/** A server that gives these answers one after the other; the cursors that it was asked to go on behind. */
async function serverOf(...answers: readonly ((response: ServerResponse) => unknown)[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    answers[Math.min(asked.length, answers.length) - 1]!(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const session = createClient({ baseUrl: `http://127.0.0.1:${port}` }).sessions.open('s');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { asked, session, [Symbol.asyncDispose]: close };
}

describe('a stream that is refused when it comes again', () => {
  it('waits as long as a 429 says, and goes on behind the last event', async () => {
    await using server = await serverOf(streamed('1'), refused(429, 'RATE_LIMIT_ERROR'), streamed('2'));

    const seen: string[] = [];
    for await (const { cursor } of server.session.events()) if (seen.push(cursor) === 2) break;

    expect(seen).toEqual(['1', '2']);
    expect(server.asked.slice(0, 3)).toEqual([undefined, '1', '1']);
  });

  it('ends with any other refusal (control)', async () => {
    await using server = await serverOf(streamed('1'), refused(404, 'SESSION_NOT_FOUND'), streamed('2'));

    const reading = Array.fromAsync(server.session.events());

    await expect(reading).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND', statusCode: 404 });
  });

  it('ends with a 429 to the very first request', async () => {
    await using server = await serverOf(refused(429, 'RATE_LIMIT_ERROR'));

    await expect(server.session.events().next()).rejects.toMatchObject({ code: 'RATE_LIMIT_ERROR', retryAfter: 0 });
  });
});

describe('a stream that is not as it should be', () => {
  const told =
    (text: string, type = 'text/event-stream') =>
    (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': type }).end(text);

  it.each([
    ['no stream at all', told('<p>Hello</p>', 'text/html'), 'INVALID_ANSWER', 500],
    ['an event that is no JSON', told('data: {\n\n'), 'INVALID_ANSWER', 500],
    ['an event of something else', told('data: {"event":1}\n\n'), 'INVALID_ANSWER', 500],
    [
      'an error with its status',
      told('event: error\ndata: {"error":"Gone","code":"SESSION_NOT_FOUND","statusCode":404}\n\n'),
      'SESSION_NOT_FOUND',
      404,
    ],
    ['an error without one', told('event: error\ndata: {"error":"Lost","code":"LOG_DAMAGED"}\n\n'), 'LOG_DAMAGED', 500],
  ])('fails with a typed error: %s', async (_what, answer, code, statusCode) => {
    await using server = await serverOf(answer);

    await expect(server.session.events().next()).rejects.toMatchObject({ name: 'HttpError', code, statusCode });
  });

  it('waits a second after a 429 that does not say how long', async () => {
    const bare = (response: ServerResponse) =>
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"No","code":"RATE_LIMIT_ERROR"}');
    await using server = await serverOf(streamed('1'), bare, streamed('2'));

    const seen: string[] = [];
    for await (const { cursor } of server.session.events()) if (seen.push(cursor) === 2) break;

    expect(seen).toEqual(['1', '2']);
  });
});

describe('a kept connection that has ended before it is used', () => {
  const cut = (response: ServerResponse) => response.destroy();
  const said = (body: object) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  it('is not noticed by what only reads', async () => {
    await using server = await serverOf(said({ state: 'running' }), cut, said({ state: 'idle' }));

    expect(await server.session.get()).toMatchObject({ state: 'running' });
    expect(await server.session.get()).toMatchObject({ state: 'idle' });
    expect(server.asked.length).toBe(3);
  });

  it('is told at the second failure, and at once by what changes something', async () => {
    await using server = await serverOf(cut);

    await expect(server.session.get()).rejects.toMatchObject({ code: 'CONNECTION_FAILED', statusCode: 503 });
    expect(server.asked.length).toBe(2);
    await expect(server.session.abort()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(server.asked.length).toBe(3);
  });

  it('is no reason to ask again when the server has answered (control)', async () => {
    await using server = await serverOf(refused(404, 'SESSION_NOT_FOUND'));

    await expect(server.session.get()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(server.asked.length).toBe(1);
  });
});
