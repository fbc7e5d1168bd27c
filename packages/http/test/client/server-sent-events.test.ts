import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ServerSentEvent, ServerSentEvents } from '../../src/client/server-sent-events.ts';

const encoder = new TextEncoder();

/** The events of a text that comes in these pieces. */
function read(bytes: Uint8Array, cuts: readonly number[] = [], reader = new ServerSentEvents()): ServerSentEvent[] {
  const places = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other),
    bytes.length,
  ];
  return places.slice(1).flatMap((end, index) => [...reader.push(bytes.subarray(places[index], end))]);
}
const eventsOf = (text: string) => read(encoder.encode(text));
const message = (data: string, id = '') => ({ type: 'message', data, id });

describe('ServerSentEvents', () => {
  it.each<[string, string, readonly ServerSentEvent[]]>([
    ['lines that end in LF', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
    ['lines that end in CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['lines that end in CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['several lines of data', 'data: a\ndata: b\ndata\n\n', [message('a\nb\n')]],
    ['data that is empty', 'data\n\ndata:\n\n', [message(''), message('')]],
    ['one space at most', 'data:  a\ndata:b\n\n', [message(' a\nb')]],
    ['a byte order mark, once', '\ufeffdata: a\n\n\ufeffdata: b\n\n', [message('a')]],
    ['comments', ': alive\n\n:data: x\ndata: a\n\n', [message('a')]],
    ['unknown fields', 'date: x\ndata: a\nDATA: b\n\n', [message('a')]],
    ['types', 'event: error\ndata: a\n\ndata: b\n\n', [{ type: 'error', data: 'a', id: '' }, message('b')]],
    ['a type without data', 'event: error\n\ndata: b\n\n', [message('b')]],
    [
      'ids that last',
      'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
      [message('a', '1'), message('b', '1'), message('c')],
    ],
    ['an id with NUL', 'id: 1\nid: 2\0\ndata: a\n\n', [message('a', '1')]],
    ['an id without data', 'id: 7\n\ndata: a\n\n', [message('a', '7')]],
    ['no event without its end', 'data: a\n\ndata: b\n', [message('a')]],
  ])('reads %s', (_, text, events) => {
    expect(eventsOf(text)).toEqual(events);
  });

  it.each([
    ['retry: 70\n', 70],
    ['retry: 7x\n', undefined],
    ['retry: -7\n', undefined],
    ['retry\n', undefined],
  ])('has from %j the time %j', (text, retryMs) => {
    const reader = new ServerSentEvents();
    read(encoder.encode(text), [], reader);

    expect(reader.retryMs).toBe(retryMs);
  });

  it('takes one byte order mark away, and no second one behind a cut', () => {
    const told = [{ type: 'message', data: 'a', id: '' }];

    for (const cut of [1, 2, 3, 4, 5, 6]) {
      expect(read(encoder.encode('\ufeffdata: a\n\n'), [cut])).toEqual(told);
      expect(read(encoder.encode('\ufeff\ufeffdata: a\n\n'), [cut])).toEqual([]);
    }
  });

  it('gives the same events, wherever the bytes were cut', () => {
    const part = fc.constantFrom(
      'data: ',
      'data',
      'id: ',
      'event: ',
      'retry: 5',
      ':',
      ' ',
      'é',
      '\u{1f600}',
      '\ufeff',
      'x',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
      'data: a\n\n',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 30 }), (parts, cuts) => {
        const bytes = encoder.encode(parts.join(''));

        expect(read(bytes, cuts)).toEqual(read(bytes));
        expect(read(bytes, [...bytes.keys()])).toEqual(read(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a line without an end', 'data: 12345'],
    ['many lines', 'data: 1\ndata: 2\n'],
    ['comments', ':1234\n:1234\n'],
  ])('ends %s that is longer than the limit', (_, text) => {
    const refused = expect.objectContaining({ name: 'HttpError', code: 'EVENT_TOO_LARGE' });

    expect(() => read(encoder.encode(text), [4], new ServerSentEvents(10))).toThrow(refused);
  });

  it.each([
    ['with an id', 'id: 1\ndata: 1\n\nid: 2\ndata: 123456789', '; follow behind the cursor 2 to leave it out'],
    ['without one', 'id: 1\ndata: 1\n\ndata: 1234567890123456', ''],
  ])('says how to go on behind an event %s', (_, text, advice) => {
    const refused = `An event has more than 20 characters${advice}`;

    expect(() => read(encoder.encode(text), [], new ServerSentEvents(20))).toThrow(new RegExp(`${refused}$`));
  });

  it('counts each event by itself', () => {
    expect(read(encoder.encode('data: 1\n\n'.repeat(50)), [], new ServerSentEvents(10))).toHaveLength(50);
  });
});
