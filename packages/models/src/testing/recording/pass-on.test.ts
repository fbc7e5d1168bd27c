import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isAgentError, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ask, KEY, recorded, textOfChunks, wire } from '../../../test/recorded-exchanges.ts';
import { openaiChatModel } from '../../openai-chat/openai-chat-model.ts';
import { recordedScript, recordingProxy, type WireRecording, wireServer } from '../index.ts';

describe('recordingProxy', () => {
  it('passes requests and answers on as they are, target path, query, repeated headers and bytes included', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index) % 251)); // random ones may look like a key
    const seen: { url: string; headers: readonly string[]; body: Buffer }[] = [];
    const target = createServer((incoming, outgoing) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => {
        seen.push({ url: incoming.url ?? '', headers: incoming.rawHeaders, body: Buffer.concat(pieces) });
        outgoing.writeHead(418, 'Teapot', [
          'X-One',
          'a',
          'X-One',
          'b',
          'Location',
          '/elsewhere',
          'Content-Length',
          '300000',
        ]);
        outgoing.end(bytes);
      });
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const { port } = target.address() as AddressInfo;
    const recordings: WireRecording[] = [];
    const proxy = await recordingProxy({
      target: `http://127.0.0.1:${port}/base/`,
      onRecording: (recording) => void recordings.push(recording),
    });

    const response = await fetch(`${proxy.url}/v1/a?b=c%20d&key=${KEY}`, {
      method: 'PUT',
      body: bytes,
      headers: { 'X-Api-Key': KEY, 'x-kept': 'k' },
    });
    const answer = Buffer.from(await response.arrayBuffer());
    await proxy.close();
    target.close();

    expect([response.status, response.statusText, response.headers.get('x-one')]).toEqual([418, 'Teapot', 'a, b']);
    expect(answer.equals(bytes)).toBe(true);
    expect(seen[0]?.url).toBe(`/base/v1/a?b=c%20d&key=${KEY}`);
    expect(seen[0]?.body.equals(bytes)).toBe(true);
    expect(seen[0]?.headers.join()).toContain(`X-Api-Key,${KEY}`);
    expect(seen[0]?.headers.join()).toMatch(new RegExp(`^host,127.0.0.1:${port},accept-encoding,identity`));
    expect(recordings[0]?.request.path).toBe('/v1/a?b=c%20d&key=REDACTED');
    expect(recordings[0]?.answer?.headers).toEqual(
      expect.arrayContaining([
        ['X-One', 'a'],
        ['X-One', 'b'],
      ]),
    );
  });

  it('lets the service go when the client leaves', async () => {
    const body = await wire('text');
    await using server = await wireServer({ body: body.subarray(0, 1500), hangs: true });
    const recordings: WireRecording[] = [];
    await using proxy = await recordingProxy({ target: server.url, onRecording: (r) => void recordings.push(r) });
    const controller = new AbortController();
    const model = openaiChatModel({ type: 'openai-compatible', apiKey: KEY, baseUrl: `${proxy.url}/v1` }, 'm');
    const stream = model.stream({
      instruction: '',
      messages: [userMessage('Hello')],
      tools: [],
      signal: controller.signal,
    });
    await stream.next();

    controller.abort();

    await expect(stream.next()).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await server.requests[0]?.settled).toBe('closed');
    await proxy.close();
    expect(recordings[0]?.answer?.end).toBe('left');
  });

  it('lets the service wait while the client does', async () => {
    const piece = Buffer.alloc(65_536, 'x');
    const chunks = Array.from({ length: 1_000 }, () => piece);
    await using server = await wireServer((_request, number) => (number === 1 ? { chunks } : {}));
    await using proxy = await recordingProxy({ target: server.url, onRecording: () => undefined });
    const idle = httpRequest(proxy.url, () => undefined).on('error', () => undefined);
    idle.end();
    while (server.requests.length === 0) await wait(1);

    const [long] = server.requests;
    for (let still = 0, seen = -1; still < 20; seen = long!.written) {
      await fetch(proxy.url).then((response) => response.text());
      still = long!.written === seen ? still + 1 : 0;
    }

    expect(long?.written).toBeLessThan(65_536_000);
    idle.destroy();
  });

  it.each([
    ['in mid-stream', 700, ['cut']],
    ['before the answer', 0, [undefined]],
  ])('breaks off when the service does, %s, and so does the replay', async (_when, cutAt, ends) => {
    const body = await wire('text');
    const outcomes: unknown[] = [];
    const recordings = await recorded({ body, cutAt }, async ({ url }) => {
      outcomes.push(await ask(url).catch((error: unknown) => error));
    });

    await using replay = await wireServer(recordedScript(recordings));
    outcomes.push(await ask(replay.url).catch((error: unknown) => error));

    expect(recordings.map((recording) => recording.answer?.end)).toEqual(ends);
    expect(textOfChunks(recordings[0]!) ?? '').toBe(body.subarray(0, cutAt).toString());
    for (const outcome of outcomes) {
      expect(isAgentError(outcome)).toBe(true);
      expect(outcome).toMatchObject({ name: 'ModelError', retryable: true });
    }
  });

  it('breaks off when nobody listens at the target', async () => {
    const { url, close } = await wireServer({});
    await close();
    const recordings: WireRecording[] = [];
    await using proxy = await recordingProxy({ target: url, onRecording: (r) => void recordings.push(r) });

    await expect(ask(proxy.url)).rejects.toMatchObject({ name: 'ModelError', retryable: true });
    await proxy.close();

    expect(recordings[0]?.answer).toBeNull();
  });

  it('does not pass on what is for another host', async () => {
    await using server = await wireServer({});
    const recordings = await recorded({}, async ({ url }) => {
      const { port } = new URL(url);
      const status = await new Promise((resolve) => {
        const path = `${server.url}/secret`;
        httpRequest({ port, host: '127.0.0.1', path }, ({ statusCode }) => resolve(statusCode)).end();
      });
      expect(status).toBe(400);
    });

    expect([recordings, server.requests]).toEqual([[], []]);
  });
});
