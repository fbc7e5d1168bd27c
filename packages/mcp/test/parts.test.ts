import { describe, expect, it, vi } from 'vitest';
import { withBoundedBody } from '../src/http/bounded-body.ts';
import { isLinkLocal } from '../src/http/link-local.ts';
import { Refresher } from '../src/hub/refresher.ts';
import { Retry } from '../src/hub/retry.ts';
import { memoryToolCache } from '../src/index.ts';
import { LineReader } from '../src/stdio/line-reader.ts';
import { Tail } from '../src/stdio/tail.ts';
import { ProgressLines } from '../src/tools/progress-lines.ts';
import { resultOfCall } from '../src/tools/result-of-call.ts';
import { PIXEL } from './support/plain-server.ts';

describe('resultOfCall', () => {
  const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };

  it.each<[string, unknown, object]>([
    [
      'texts are lines',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      { output: 'a\nb' },
    ],
    ['a picture', [image], { output: '', images: [{ type: 'image', mediaType: 'image/png', data: PIXEL }] }],
    [
      'a picture of another kind',
      [{ ...image, mimeType: 'image/svg+xml' }],
      { output: '[image, image/svg+xml, 70 bytes]' },
    ],
    ['a damaged picture', [{ ...image, data: 'a' }], { output: '[image, image/png, 0 bytes, damaged]' }],
    ['a sound', [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }], { output: '[audio, audio/wav, 3 bytes]' }],
    ['a text of a resource', [{ type: 'resource', resource: { uri: 'a:b', text: 'T' } }], { output: 'T' }],
    [
      'a picture of a resource',
      [{ type: 'resource', resource: { uri: 'a:b', blob: PIXEL, mimeType: 'image/png' } }],
      { images: [{}] },
    ],
    [
      'a PDF of a resource',
      [{ type: 'resource', resource: { uri: 'file:///a/r.pdf?v=1', blob: 'AAAA', mimeType: 'application/pdf' } }],
      { output: '', files: [{ type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'r.pdf' }] },
    ],
    [
      'a PDF without a name',
      [{ type: 'resource', resource: { uri: 'a:/', blob: 'AAAA', mimeType: 'application/pdf' } }],
      { files: [{ name: 'file.pdf' }] },
    ],
    [
      'a damaged PDF',
      [{ type: 'resource', resource: { uri: 'a:b', blob: 'AA', mimeType: 'application/pdf' } }],
      { output: '[resource a:b, application/pdf]' },
    ],
    [
      'bytes of a resource',
      [{ type: 'resource', resource: { uri: 'a:b', blob: 'AAAA' } }],
      { output: '[resource a:b, unknown]' },
    ],
    ['a link', [{ type: 'resource_link', name: 'n', uri: 'a:b' }], { output: '[resource n: a:b]' }],
    ['something new', [{ type: 'hologram' }], { output: '[content of the type hologram]' }],
    [
      'no object',
      [7, { type: 'resource', resource: 7 }],
      { output: '[content that is no object]\n[a resource that is no object]' },
    ],
    ['nothing', undefined, { output: '', isError: false }],
  ])('%s', (_, content, expected) => {
    expect(resultOfCall({ content })).toMatchObject(expected);
  });

  it('has structured content as data, and as its text when there is no other', () => {
    const structuredContent = { a: 1 };

    expect(resultOfCall({ structuredContent })).toEqual({ output: '{"a":1}', isError: false, data: { a: 1 } });
    expect(resultOfCall({ structuredContent, content: [{ type: 'text', text: 'one' }] })).toMatchObject({
      output: 'one',
      data: { a: 1 },
    });
  });
});

describe('isLinkLocal', () => {
  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '64:ff9b::a9fe:a9fe',
    '168.63.129.16',
  ])('is true of %s', (address) => {
    expect(isLinkLocal(address)).toBe(true);
  });

  it.each(['127.0.0.1', '::1', '10.0.0.1', '93.184.215.14', '169.253.1.1', 'fd00::1'])('is false of %s', (address) => {
    expect(isLinkLocal(address)).toBe(false);
  });
});

describe('withBoundedBody', () => {
  const read = (body: string, type: string) =>
    withBoundedBody(new Response(body, { headers: { 'content-type': type } }), 10, () => new Error('too long')).text();

  it.each([
    ['a body', '0123456789', 'application/json'],
    ['short events, however many', 'data: 1\n\ndata: 2\r\n\r\ndata: 3\n\n', 'text/event-stream; charset=utf-8'],
  ])('passes %s', async (_, body, type) => {
    expect(await read(body, type)).toBe(body);
  });

  it.each([
    ['a body', '0123456789a', 'application/json'],
    ['an event of one line', 'data: 12345\n\n', 'text/event-stream'],
    ['an event of many lines', 'data:\ndata:\ndata:\n\n', 'text/event-stream'],
  ])('fails at %s that is too long', async (_, body, type) => {
    await expect(read(body, type)).rejects.toThrow('too long');
  });
});

describe('LineReader', () => {
  it('cuts lines wherever the pieces end', () => {
    const lines: string[] = [];
    const reader = new LineReader(10, { onLine: (line) => lines.push(line), onTooLong: () => lines.push('!') });

    for (const piece of ['a', 'b\nc\n', '\nä'.slice(0, 1), 'xyz', '\n']) reader.push(Buffer.from(piece));

    expect(lines).toEqual(['ab', 'c', '', 'xyz']);
  });

  it.each([['0123456789a'], ['0123456789a\n']])('ends once at a line that is too long: %j', (text) => {
    const onTooLong = vi.fn<() => void>();
    const onLine = vi.fn<(line: string) => void>();
    const reader = new LineReader(10, { onLine, onTooLong });

    reader.push(Buffer.from(text));
    reader.push(Buffer.from('more\n'));

    expect(onTooLong).toHaveBeenCalledOnce();
    expect(onLine).not.toHaveBeenCalled();
  });
});

describe('Tail', () => {
  it('keeps the end', () => {
    const tail = new Tail(4);

    for (const piece of ['ab', 'cdefgh', 'i\n']) tail.push(Buffer.from(piece));

    expect(tail.text).toBe('ghi');
  });
});

describe('ProgressLines', () => {
  it('drops old lines when nobody reads', async () => {
    const lines = new ProgressLines();
    for (let progress = 0; progress < 1_000; progress += 1) lines.push({ progress });

    const read: string[] = [];
    for await (const line of lines.until(Promise.resolve())) read.push(line);

    expect(read).toHaveLength(100);
    expect(read.at(-1)).toBe('999\n');
  });
});

describe('Refresher', () => {
  it('runs once for many askings, and again for those that came meanwhile', async () => {
    vi.useFakeTimers();
    const task = vi.fn<() => Promise<void>>(async () => undefined);
    const refresher = new Refresher(task);

    for (let count = 0; count < 10_000; count += 1) refresher.ask();
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();

    expect(task).toHaveBeenCalledOnce();
  });

  it('waits longer each time while it is asked by its own task', async () => {
    vi.useFakeTimers();
    const task = vi.fn<() => Promise<void>>(async () => refresher.ask());
    const refresher = new Refresher(task);

    refresher.ask();
    await vi.advanceTimersByTimeAsync(60_000);
    refresher.stop();
    vi.useRealTimers();

    expect(task.mock.calls.length).toBeLessThan(15);
    expect(task.mock.calls.length).toBeGreaterThan(5);
  });
});

describe('memoryToolCache', () => {
  it('keeps the last 200', () => {
    const cache = memoryToolCache();
    for (let count = 0; count < 201; count += 1) cache.set(String(count), { tools: [], resources: false });

    expect(cache.get('0')).toBeUndefined();
    expect(cache.get('1')).toEqual({ tools: [], resources: false });
  });
});

describe('Retry', () => {
  it('waits twice as long each time, up to a limit, and ends (M15)', async () => {
    vi.useFakeTimers();
    const random = vi.spyOn(Math, 'random').mockReturnValue(1);
    const waits: number[] = [];
    let last = Date.now();
    const retry: Retry = new Retry({ baseMs: 100, maxMs: 500, attempts: 5, pingMs: 0 }, () => {
      waits.push(Date.now() - last);
      last = Date.now();
      retry.later();
    });

    retry.later();
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    random.mockRestore();

    expect(waits).toEqual([100, 200, 400, 500, 500]);
    expect(retry.isWaiting).toBe(false);
  });
});
