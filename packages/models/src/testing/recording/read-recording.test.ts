import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type RecordedAnswer,
  readRecording,
  readRecordings,
  recordedAnswer,
  recordedScript,
  type WireRecording,
  wireServer,
} from '../index.ts';
import { parseRecording } from './parse-recording.ts';
import { recordedBytes } from './wire-recording.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'read-recording-'));
});
afterAll(() => rm(directory, { recursive: true }));

const answer = (text: string, more: Partial<RecordedAnswer> = {}): RecordedAnswer => ({
  status: 200,
  headers: [['content-type', 'text/event-stream']],
  chunks: [{ text }],
  end: 'complete',
  ...more,
});
const recording = (path: string, said: RecordedAnswer | null, method = 'POST'): WireRecording => ({
  format: 'wire-recording/1',
  request: { method, path, headers: [], body: { text: '{}' } },
  answer: said,
});
const right = recording('/v1/a', answer('hello'));

/** A recording with one part of it changed; undefined takes it out. */
function changed(field: string, value: unknown): unknown {
  const copy = structuredClone(right) as unknown as Record<string, unknown>;
  const names = field.split('.');
  const last = names.pop()!; // there is one
  const place = names.reduce((object, name) => object[name] as Record<string, unknown>, copy);
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

describe('readRecording', () => {
  it('reads a file', async () => {
    const file = join(directory, 'right.json');
    await writeFile(file, JSON.stringify(right));

    expect(await readRecording(file)).toEqual(right);
  });

  it.each<[string, unknown, string, string]>([
    ['format', 'wire-recording/2', 'format', 'must be "wire-recording/1", not "wire-recording/2"'],
    ['format', undefined, 'format', 'must be "wire-recording/1", not nothing'],
    ['request', undefined, 'request', 'must be an object'],
    ['request.method', 'GET /', 'request.method', 'is not a method'],
    ['request.path', 'v1', 'request.path', 'must begin with /'],
    ['request.path', '/a b', 'request.path', 'must begin with /'],
    ['request.headers', {}, 'request.headers', 'must be a list'],
    ['request.headers', [['a']], 'request.headers[0]', 'must be a name and a value'],
    ['request.headers', [['a', 'b\r\nc: d']], 'request.headers[0]', 'without line breaks'],
    ['request.headers', [['a b', 'c']], 'request.headers[0]', 'has no name of a header'],
    ['request.body', {}, 'request.body', 'must have either text or base64'],
    ['request.body', { text: 'a', base64: 'YQ==' }, 'request.body', 'must have either text or base64'],
    ['request.body', { base64: 'YQ' }, 'request.body.base64', 'must be base64'],
    ['request.body', { base64: 7 }, 'request.body.base64', 'must be base64'],
    ['request.body', { text: '\ud800' }, 'request.body.text', 'half characters'],
    ['answer', undefined, 'answer', 'must be an object, not nothing'],
    ['answer', [], 'answer', 'must be an object, not []'],
    ['answer.status', 99, 'answer.status', 'from 200 to 599, not 99'],
    ['answer.status', '200', 'answer.status', 'from 200 to 599'],
    ['answer.end', 'soon', 'answer.end', 'must be one of complete, cut, left'],
    ['answer.chunks', ['a'], 'answer.chunks[0]', 'must be an object'],
    [
      'answer.chunks',
      [
        { text: 'a', atMs: 2 },
        { text: 'b', atMs: 1 },
      ],
      'answer.chunks[1].atMs',
      'at least 2, not 1',
    ],
    ['answer.chunks', [{ text: 'a', atMs: '2' }], 'answer.chunks[0].atMs', 'must be a number'],
  ])('says what is wrong: %s is %j', async (change, value, field, why) => {
    const file = join(directory, 'wrong.json');
    await writeFile(file, JSON.stringify(changed(change, value)));

    await expect(readRecording(file)).rejects.toMatchObject({
      name: 'RecordingError',
      code: 'INVALID_RECORDING',
      source: file,
      field,
      message: expect.stringContaining(why),
    });
  });

  it.each([
    ['{"format":', 'is no JSON'],
    ['', 'is no JSON'],
    ['[]', 'it must be an object, not []'],
    ['null', 'it must be an object, not null'],
  ])('refuses %j', (text, why) => {
    expect(() => parseRecording(text, 'here')).toThrow(
      `here is not a recording: ${why.replace('is no JSON', 'it is no JSON')}`,
    );
  });

  it('names a file that is not there', async () => {
    await expect(readRecording(join(directory, 'none.json'))).rejects.toMatchObject({
      code: 'INVALID_RECORDING',
      message: expect.stringContaining('none.json'),
    });
  });

  const chunk = fc.oneof(
    fc.uint8Array({ minLength: 1 }),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  );
  test.prop([fc.array(chunk), fc.constantFrom('complete', 'cut', 'left')])(
    'keeps every byte and every piece',
    (pieces, end) => {
      const chunks = pieces.map((bytes) => recordedBytes(Buffer.from(bytes)));
      const written = JSON.stringify(recording('/', answer('', { chunks, end })));

      const played = recordedAnswer(parseRecording(written, 'memory'));

      expect(played.chunks?.map((bytes) => Buffer.from(bytes))).toEqual(pieces.map((bytes) => Buffer.from(bytes)));
      expect(played.cut).toBe(end === 'complete' ? undefined : true);
    },
  );
});

describe('readRecordings', () => {
  it('reads the recordings of a directory in the order of their names, and nothing else', async () => {
    const place = join(directory, 'several');
    await mkdir(place);
    for (const [name, path] of [
      ['0010.json', '/c'],
      ['0002.json', '/b'],
      ['0001.json', '/a'],
    ] as const) {
      await writeFile(join(place, name), JSON.stringify(recording(path, null)));
    }
    await writeFile(join(place, 'notes.txt'), 'not read');
    await writeFile(join(place, '.half.json'), 'not read');

    expect((await readRecordings(place)).map(({ request }) => request.path)).toEqual(['/a', '/b', '/c']);
  });

  it('names a directory that is not there', async () => {
    await expect(readRecordings(join(directory, 'none'))).rejects.toMatchObject({ code: 'INVALID_RECORDING' });
  });
});

describe('recordedAnswer', () => {
  it('keeps times only when it is asked to', () => {
    const timed = recording('/', answer('', { chunks: [{ text: 'a', atMs: 3 }, { text: 'b' }] }));

    expect(recordedAnswer(timed).timesMs).toBeUndefined();
    expect(recordedAnswer(timed, { timing: true }).timesMs).toEqual([3, 0]);
  });

  it('sends repeated headers, whatever their names are', async () => {
    const headers = [
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['X-One', 'c'],
    ] as const;
    await using server = await wireServer(recordedAnswer(recording('/', answer('', { headers }))));

    const response = await fetch(server.url);

    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-one')).toBe('c');
  });
});

describe('recordedScript', () => {
  const asked = async (recordings: readonly WireRecording[], ...requests: readonly (readonly [string, string])[]) => {
    await using server = await wireServer(recordedScript(recordings));
    const answers: string[] = [];
    for (const [method, path] of requests) {
      const response = await fetch(server.url + path, { method });
      answers.push(`${response.status} ${await response.text()}`);
    }
    return answers;
  };

  it('answers by method and path, each in its order, the last for all that follow', async () => {
    const recordings = [
      recording('/a', answer('a1')),
      recording('/b', answer('b1')),
      recording('/a', answer('a2')),
      recording('/a', answer('got'), 'GET'),
    ];

    const answers = await asked(
      recordings,
      ['POST', '/a'],
      ['POST', '/b'],
      ['GET', '/a'],
      ['POST', '/a'],
      ['POST', '/a'],
    );

    expect(answers).toEqual(['200 a1', '200 b1', '200 got', '200 a2', '200 a2']);
  });

  it('compares queries without their order, and takes what was redacted for anything', async () => {
    const recordings = [recording('/v1/REDACTED/x?alt=sse&key=REDACTED', answer('found'))];

    const answers = await asked(
      recordings,
      ['POST', '/v1/my-project/x?key=4711&alt=sse'],
      ['POST', '/v1/y/x?alt=json&key=1'],
    );

    expect(answers).toEqual(['200 found', expect.stringMatching(/^404/)]);
  });

  it('says which recordings there are when there is none', async () => {
    const [known, none] = [
      await asked([recording('/a', answer(''))], ['POST', '/b?key=secret']),
      await asked([], ['POST', '/b']),
    ];

    expect(known[0]).toBe(
      '404 {"error":{"type":"no_recording","message":"There is no recording of POST /b; there are: POST /a"}}',
    );
    expect(none[0]).toContain('there are: none');
  });
});
