import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';

function events(...pieces: readonly string[]) {
  const seen: [data: string, event: string][] = [];
  const stream = new EventStream((data, event) => seen.push([data, event]));
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return seen;
}

/** The rules of WHATWG HTML 9.2.6, said slowly; an event left open at the end counts too, one whose data is empty does not. */
function slowly(text: string) {
  const seen: [data: string, event: string][] = [];
  let data: string[] = [];
  let event = '';
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    const [, field = line, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '') {
      if (data.join('\n') !== '') seen.push([data.join('\n'), event]);
      data = [];
      event = '';
    } else if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'error') [event, data] = ['error', [...data, value]];
  }
  return seen;
}

describe('EventStream', () => {
  it.each([
    [
      'data: a\n\ndata: b\n\n',
      [
        ['a', ''],
        ['b', ''],
      ],
    ],
    [
      'data:a\r\n\r\ndata:  b\r\n\r\n',
      [
        ['a', ''],
        [' b', ''],
      ],
    ],
    ['data: a\ndata\ndata: b\n\n', [['a\n\nb', '']]],
    [': ping\n\nid: 1\nretry: 5\nevent: x\ndata: a\n\n', [['a', 'x']]],
    ['event: x\n\ndata: a\n\n', [['a', '']]],
    ['data: a', [['a', '']]],
    ['\n\n\n', []],
    ['data:\n\nevent: ping\ndata\n\n', []],
    ['event: error\ndata:\n\n', [['', 'error']]],
    [
      'data: a\n\nerror: {"code":500}\n\n',
      [
        ['a', ''],
        ['{"code":500}', 'error'],
      ],
    ],
  ])('reads %j', (text, expected) => {
    expect(events(text)).toEqual(expected);
  });

  it('gives up on an event that would fill the memory', () => {
    const stream = new EventStream(() => undefined);
    const piece = 'x'.repeat(1024 * 1024);
    const fill = () => {
      for (let pieces = 0; pieces < 100; pieces++) stream.push(piece);
    };

    stream.push('data: ');

    expect(fill).toThrow(RangeError);
    expect(() => events(...Array.from({ length: 100 }, () => `data: ${piece}\n`))).toThrow(RangeError);
    expect(() => events('data: 1\n'.repeat(600_000))).toThrow(RangeError);
    expect(events('data: ', ...Array.from({ length: 20 }, () => piece), '\n\n')[0]?.[0].length).toBe(20 * 1024 * 1024);
  });

  it('takes CR and LF for one line end when they come apart', () => {
    expect(events('data: a\r', '\ndata: b\r', '\n\r', '\n', 'data: c\r\r')).toEqual([
      ['a\nb', ''],
      ['c', ''],
    ]);
  });

  it('takes lines without a field for data only when it is told to', () => {
    const text = 'data: {\n: c\n  "a": 1,\nid: 7\n  "data": 2\n}\n\n{\n  "b": 3\n}\n\n';
    const seen: string[] = [];
    const stream = new EventStream((data) => seen.push(data), { joinsLines: true });

    for (const character of text) stream.push(character);

    expect(seen).toEqual(['{\n  "a": 1,\n  "data": 2\n}']);
    expect(events(text)).toEqual([['{', '']]);
  });

  const line = fc.constantFrom(
    'data: x',
    'data:',
    'data',
    'dat:',
    'data :x',
    'datas: x',
    ' data: x',
    'data:  x',
    'event: e',
    'event: e',
    'event:e',
    'event: f',
    'event',
    ': c',
    'id: 1',
    '',
    '',
    'data: {"a":"b: c"}',
    'odd',
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const lines = fc.array(fc.tuple(line, end), { maxLength: 40, size: 'max' });
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 40, size: 'max' });
  test.prop([lines, cuts], { numRuns: 500 })('follows the rules, wherever the text is split', (given, places) => {
    const text = given.flat().join('');
    const ends = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];

    const seen = events(...ends.slice(1).map((to, i) => text.slice(ends[i], to)));

    expect(seen).toEqual(slowly(text));
  });
});
