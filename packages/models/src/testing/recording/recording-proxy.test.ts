import { request as httpRequest } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { AssistantMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ask, folder, KEY, recorded, wire } from '../../../test/recorded-exchanges.ts';
import {
  type RecordingProxyOptions,
  readRecordings,
  recordedScript,
  recordingProxy,
  type WireRecording,
  wireServer,
} from '../index.ts';

const facts = ({ content, usage, stopReason }: AssistantMessage) => ({ content, usage, stopReason });

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

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('records a body compressed with %s as it was before', async (coding, compress) => {
    const body = compress(`{"said":"${KEY}"}`);
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };

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

  it('keeps times when it is asked to', async () => {
    const body = await wire('text');
    const recordings = await recorded({ body, chunkBytes: 400, delayMs: 5 }, ({ url }) => ask(url), { timing: true });

    const times = recordings[0]?.answer?.chunks.map(({ atMs }) => atMs ?? -1) ?? [];
    expect(times.length).toBeGreaterThan(3);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(times.at(-1)).toBeGreaterThan(times[0] ?? 0);
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
