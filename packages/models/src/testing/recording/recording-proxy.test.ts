import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, isAgentError, textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { openaiChatModel } from '../../openai-chat/openai-chat-model.ts';
import {
  type RecordingProxy,
  type RecordingProxyOptions,
  readRecordings,
  recordedScript,
  recordingProxy,
  type WireRecording,
  type WireScript,
  wireServer,
} from '../index.ts';

const KEY = 'key-of-the-test-4711';
const ORGANISATION = 'org-abcdefghijklmnop1234';
const folders: string[] = [];
const wire = (name: string) => readFile(new URL(`../../../test/wire/openai-chat/${name}.sse`, import.meta.url));

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'recordings-'));
  folders.push(made);
  return made;
}

async function ask(url: string, text = 'Hello', signal = new AbortController().signal): Promise<AssistantMessage> {
  const model = openaiChatModel({ type: 'openai-compatible', apiKey: KEY, baseUrl: `${url}/v1` }, 'gpt-4o-mini');
  return (await collect(model.stream({ instruction: '', messages: [userMessage(text)], tools: [], signal }))).value;
}

const facts = ({ content, usage, stopReason }: AssistantMessage) => ({ content, usage, stopReason });
const textOfChunks = ({ answer }: WireRecording) =>
  answer?.chunks
    .map((chunk) => ('text' in chunk ? chunk.text : Buffer.from(chunk.base64, 'base64').toString()))
    .join('');

/** Runs `work` against a service that plays `script`, and returns what was recorded. */
async function recorded(
  script: WireScript,
  work: (proxy: RecordingProxy) => Promise<unknown>,
  options: Partial<RecordingProxyOptions> = {},
): Promise<readonly WireRecording[]> {
  const recordings: WireRecording[] = [];
  await using server = await wireServer(script);
  await using proxy = await recordingProxy({
    target: server.url,
    onRecording: (recording) => void recordings.push(recording),
    ...options,
  });
  await work(proxy);
  await proxy.close();
  return recordings;
}

describe('recordingProxy', () => {
  it('records what replays to the same messages, piece by piece', async () => {
    const directory = await folder();
    const bodies = await Promise.all(['text', 'call', 'parallel-calls', 'reasoning'].map(wire));
    const seen: AssistantMessage[] = [];
    await recorded(
      bodies.map((body, index) => ({ body, chunkBytes: 11 + index })),
      async ({ url }) => {
        for (const _ of bodies) seen.push(await ask(url));
      },
      { directory },
    );

    const recordings = await readRecordings(directory);
    await using replay = await wireServer(recordedScript(recordings));
    const replayed: AssistantMessage[] = [];
    for (const _ of bodies) replayed.push(await ask(replay.url));

    expect(replayed.map(facts)).toEqual(seen.map(facts));
    expect(recordings.map(({ answer }) => answer?.end)).toEqual(bodies.map(() => 'complete'));
    expect(recordings.map(({ answer }) => answer?.chunks.length)).toEqual(
      bodies.map((body, index) => Math.ceil(body.length / (11 + index))),
    );
    expect(recordings[0]).toMatchObject({
      format: 'wire-recording/1',
      request: { method: 'POST', path: '/v1/chat/completions' },
      answer: {
        status: 200,
        end: 'complete',
        headers: expect.arrayContaining([['content-type', 'text/event-stream']]),
      },
    });
  });

  it('passes requests and answers on as they are, target path, query, repeated headers and bytes included', async () => {
    const bytes = randomBytes(300_000);
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

  it('writes files that only their owner reads, as a whole, behind those that are there', async () => {
    const directory = await folder();
    await writeFile(join(directory, '0007.json'), 'taken');
    const body = await wire('text');

    await recorded({ body }, ({ url }) => Promise.all(Array.from({ length: 12 }, () => ask(url))), { directory });

    const names = (await readdir(directory)).toSorted();
    expect(names).toEqual(Array.from({ length: 13 }, (_, index) => `${String(index + 7).padStart(4, '0')}.json`));
    expect((await stat(join(directory, '0008.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(directory, '0007.json'), 'utf8')).toBe('taken');
  });

  it('leaves numbers to another writer of the same directory', async () => {
    const directory = await folder();
    const body = await wire('text');
    await using server = await wireServer({ body });
    await using one = await recordingProxy({ target: server.url, directory });
    await using other = await recordingProxy({ target: server.url, directory });

    await Promise.all([one, other, one, other].map(({ url }) => ask(url)));
    await Promise.all([one.close(), other.close()]);

    expect((await readRecordings(directory)).length).toBe(4);
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
      expect(outcome).toMatchObject({ code: 'MODEL_ERROR', retryable: true });
    }
  });

  it('breaks off when nobody listens at the target', async () => {
    const { url, close } = await wireServer({});
    await close();
    const recordings: WireRecording[] = [];
    await using proxy = await recordingProxy({ target: url, onRecording: (r) => void recordings.push(r) });

    await expect(ask(proxy.url)).rejects.toMatchObject({ code: 'MODEL_ERROR', retryable: true });
    await proxy.close();

    expect(recordings[0]?.answer).toBeNull();
  });

  it('records a compressed body as it was before', async () => {
    const body = gzipSync(`{"said":"${KEY}"}`);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

    const recordings = await recorded({ body, headers }, async ({ url }) => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } });
      expect(await response.json()).toEqual({ said: KEY });
    });

    expect(recordings[0]?.answer).toMatchObject({ chunks: [{ text: '{"said":"REDACTED"}' }] });
    expect(JSON.stringify(recordings[0]?.answer?.headers)).not.toContain('content-encoding');
  });

  it.each([
    ['zstd', Buffer.from('noise')],
    ['gzip', Buffer.from('noise')],
  ])('does not keep what it cannot look into: %s', async (coding, body) => {
    await using server = await wireServer({ body, headers: { 'content-encoding': coding } });
    const recordings: WireRecording[] = [];
    const proxy = await recordingProxy({ target: server.url, onRecording: (r) => void recordings.push(r) });
    await new Promise((resolve) => {
      httpRequest(proxy.url, (answer) => answer.resume().on('end', resolve)).end();
    });

    await expect(proxy.close()).rejects.toMatchObject({
      name: 'RecordingError',
      code: 'RECORDING_FAILED',
      message: expect.stringContaining(coding),
    });
    expect(recordings).toEqual([]);
  });

  it('says at its end that a recording could not be kept', async () => {
    const directory = join(await folder(), 'file');
    await writeFile(directory, '');
    await using server = await wireServer({ body: await wire('text') });
    const proxy = await recordingProxy({ target: server.url, directory });

    expect(textOf(await ask(proxy.url))).not.toBe('');

    await expect(proxy.close()).rejects.toMatchObject({ name: 'RecordingError', code: 'RECORDING_FAILED' });
  });

  it('keeps times when it is asked to', async () => {
    const body = await wire('text');
    const recordings = await recorded({ body, chunkBytes: 400, delayMs: 5 }, ({ url }) => ask(url), { timing: true });

    const times = recordings[0]?.answer?.chunks.map(({ atMs }) => atMs ?? -1) ?? [];
    expect(times.length).toBeGreaterThan(3);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(times.at(-1)).toBeGreaterThan(times[0] ?? 0);
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

  it.each([
    [{ target: 'api.example.com', directory: 'd' }, 'target'],
    [{ target: 'ftp://example.com', directory: 'd' }, 'target'],
    [{ target: 'https://user:word@example.com', directory: 'd' }, 'target'],
    [{ target: 'https://example.com?key=1', directory: 'd' }, 'target'],
    [{ target: 'https://example.com' }, 'directory'],
    [{ target: 'https://example.com', directory: 'd', redact: ['good enough', 'abc'] }, 'redact[1]'],
    [{ target: 'https://example.com', directory: 'd', redacted: ['secret'] }, 'redacted'],
  ])('refuses %j', async (options, field) => {
    await expect(recordingProxy(options as RecordingProxyOptions)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field,
    });
  });
});

describe('what recordingProxy redacts', () => {
  const json = { 'content-type': 'application/json' };

  it('takes the secrets of known places out of everything', async () => {
    const secrets = [
      'token-of-a-bearer',
      'x-key-4711',
      'azure-key-4711',
      'goog-key-4711',
      'cookie-value-1',
      'query-key-4711',
    ];
    const [bearer, xKey, azure, google, cookie, query] = secrets;
    const said = secrets.map((secret) => `you said ${secret}`).join(', ');
    const answer = {
      status: 401,
      headers: {
        ...json,
        'set-cookie': ['session=set-cookie-4711; path=/', 'b=c'],
        'openai-organization': 'acme-corporation',
      },
      body: JSON.stringify({ error: { message: `${said}; set-cookie-4711 of acme-corporation in ${ORGANISATION}` } }),
    };

    const recordings = await recorded(answer, ({ url }) =>
      fetch(`${url}/v1/${xKey}?key=${query}&alt=sse`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'x-api-key': xKey ?? '',
          'api-key': azure ?? '',
          'x-goog-api-key': google ?? '',
          cookie: `a=${cookie}; b=1`,
          'openai-project': 'proj_number_one',
          'x-echo': `again ${azure}`,
        },
        body: JSON.stringify({ said, project: 'proj_number_one' }),
      }),
    );

    const text = JSON.stringify(recordings);
    for (const secret of [...secrets, 'set-cookie-4711', 'acme-corporation', 'proj_number_one', ORGANISATION]) {
      expect(text).not.toContain(secret);
    }
    expect(recordings[0]?.request.path).toBe('/v1/REDACTED?key=REDACTED&alt=sse');
    expect(recordings[0]?.request.headers).toEqual(
      expect.arrayContaining([
        ['authorization', 'REDACTED'],
        ['x-echo', 'again REDACTED'],
        ['cookie', 'REDACTED'],
      ]),
    );
    expect(recordings[0]?.answer?.headers.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'REDACTED'],
      ['set-cookie', 'REDACTED'],
    ]);
    expect(textOfChunks(recordings[0]!)).toContain('you said REDACTED, you said REDACTED');
  });

  it.each([
    ['a password of a basic authorisation', { authorization: `Basic ${btoa('user:open-sesame')}` }, 'open-sesame'],
    ['a key that only looks like one', {}, 'sk-proj-abcdefghijklmnopqrstuvwxyz'],
    ['a key of Google', {}, `AIza${'Sy4711'.repeat(6)}`],
    ['the number of a project', {}, 'projects/123456789012'],
  ])('takes out %s', async (_what, headers, secret) => {
    const body = JSON.stringify({ message: `it is ${secret}.` });

    const recordings = await recorded({ headers: json, body }, ({ url }) => fetch(url, { headers }));

    expect(textOfChunks(recordings[0]!)).toMatch(/^\{"message":"it is (?:projects\/)?REDACTED\."\}$/);
  });

  it('leaves counts of tokens, and all that is no secret, as it is', async () => {
    const headers = { ...json, 'x-ratelimit-remaining-tokens': '4711', 'x-request-id': 'req_1', 'retry-after': '3' };
    const body = '{"usage":{"total_tokens":12},"text":"task-force, a risk-free desk-top at org-level"}';

    const recordings = await recorded({ headers, body }, ({ url }) => fetch(url));

    expect(textOfChunks(recordings[0]!)).toBe(body);
    expect(recordings[0]?.answer?.headers).toEqual(expect.arrayContaining(Object.entries(headers)));
  });

  it('finds a secret that a model has said piece by piece', async () => {
    const deltas = ['Your key is key-', 'of-the', '-test-', '4711, keep it'];
    const events = deltas.map((content, index) =>
      [
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }], usage: null })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ index: 1, delta: { content: `${index}` } }] })}\n\n`,
      ].join(''),
    );

    const recordings = await recorded({ body: events.join('') }, ({ url }) =>
      fetch(url, { headers: { 'x-api-key': KEY } }).then((response) => response.text()),
    );

    const said = [...(textOfChunks(recordings[0]!) ?? '').matchAll(/"index":0.*"content":"([^"]*)"/g)].map((m) => m[1]);
    expect(said).toEqual(['Your key is REDACTED', '', '', ', keep it']);
  });

  it('finds it in the arguments of a call as well, where it stands in JSON inside JSON', async () => {
    const secret = 'pa"ss\\w\u00f6rd-4711';
    const fragments = JSON.stringify({ password: secret }).match(/.{1,4}/gs) ?? [];
    const body = fragments.map((partial_json) => `data: ${JSON.stringify({ delta: { partial_json }, index: 1 })}\n\n`);

    const recordings = await recorded({ body: body.join('') }, ({ url }) => fetch(url).then((r) => r.text()), {
      redact: [secret],
    });

    const events = (textOfChunks(recordings[0]!) ?? '').split('\n\n').filter((event) => event !== '');
    const said = events.map(
      (event) => (JSON.parse(event.slice(6)) as { delta: { partial_json: string } }).delta.partial_json,
    );
    expect(said.join('')).toBe('{"password":"REDACTED"}');
  });

  it.each([['wire-recording'], ['REDACTED'], ['"status"']])(
    'keeps nothing rather than a recording that must show %s',
    async (secret) => {
      const directory = await folder();
      await using server = await wireServer({ body: `it is ${secret}` });
      const proxy = await recordingProxy({ target: server.url, directory, redact: [secret] });
      await fetch(proxy.url).then((response) => response.text());

      await expect(proxy.close()).rejects.toMatchObject({ code: 'RECORDING_FAILED' });

      expect(await readdir(directory)).toEqual([]);
    },
  );

  const plain = fc.string({
    minLength: 8,
    maxLength: 40,
    size: 'max',
    unit: fc.constantFrom(...Array.from('abcdefXYZ0123456789-_')),
  });
  const odd = fc.string({
    minLength: 8,
    maxLength: 20,
    size: 'max',
    unit: fc.constantFrom(...Array.from('aZ9"\\/\u00e9\u4e2d \u{1F30D}<&+=%')),
  });
  const secret = fc.oneof(plain, odd).filter((text) => !/REDACTED|[a-z]{2}/.test(text) && text.trim().length >= 8);
  const writings = [
    (text: string) => text,
    (text: string) => JSON.stringify(text).slice(1, -1),
    (text: string) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
    (text: string) => encodeURIComponent(text),
    (text: string) => btoa(`user:${Buffer.from(text).toString('latin1')}!`),
  ];

  test.prop(
    [
      fc.array(fc.tuple(secret, fc.nat({ max: writings.length - 1 })), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat({ max: 100_000 }), { maxLength: 30, size: 'max' }),
    ],
    { numRuns: 100 },
  )('no byte of a secret is in a file, wherever it stands and however it is split', async (secrets, cuts) => {
    const directory = await folder();
    const written = secrets.map(([text, how]) => writings[how]!(text));
    const body = Buffer.from(written.map((text) => `data: {"text":"before ${text}${text} after"}\n\n`).join(''));
    const ends = [...cuts.map((cut) => cut % body.length).toSorted((a, b) => a - b), body.length];
    const chunks = ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
    const inHeader = Buffer.from(written.join(' ')).toString('latin1').trim();

    await recorded(
      { chunks },
      async ({ url }) => {
        const response = await fetch(`${url}/a/${secrets.map(([text]) => encodeURIComponent(text)).join('/')}?q=1`, {
          method: 'POST',
          headers: { 'x-some': inHeader },
          body: written.join('\n'),
        });
        expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
      },
      { directory, redact: secrets.map(([text]) => text) },
    );

    const [name = ''] = await readdir(directory);
    const file = await readFile(join(directory, name), 'utf8');
    const [recording] = await readRecordings(directory);
    const sent = recording!.request.body;
    expect(sent).toHaveProperty('text');
    const all = [
      file,
      (sent as { text: string }).text,
      textOfChunks(recording!),
      decodeURIComponent(recording!.request.path),
    ].join('\n');
    for (const [text] of secrets) {
      for (const writing of writings.slice(0, 4)) expect(all.includes(writing(text))).toBe(false);
      expect(all.includes(writings[4]!(text).slice(8, -8))).toBe(false);
    }
    expect(textOfChunks(recording!)?.split('before ').length).toBe(secrets.length + 1);
  });
});
