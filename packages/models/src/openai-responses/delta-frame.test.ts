import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { DeltaFrame } from './delta-frame.ts';
import { TEXT_DELTAS } from './text-events.ts';

const TYPE = 'response.output_text.delta';
const KIND = TEXT_DELTAS.get(TYPE)!; // a key of the map
const eventOf = (delta: string, number: number, more: object = {}) => {
  return { type: TYPE, sequence_number: number, item_id: 'msg_1', output_index: 0, content_index: 0, delta, ...more };
};
const padded = (padding: string) => ({ logprobs: [], obfuscation: padding });
function taught(event: ReturnType<typeof eventOf>): DeltaFrame {
  const frame = new DeltaFrame();
  frame.learn(JSON.stringify(event), event, KIND);
  return frame;
}

describe('DeltaFrame', () => {
  it('reads events that differ in number, text and padding only', () => {
    const frame = taught(eventOf('Hello', 4, padded('x9')));

    expect(frame.textIn(JSON.stringify(eventOf(' world', 4711, padded('abcd'))))).toBe(' world');
    expect(frame.textIn(JSON.stringify(eventOf('', 5, padded(''))))).toBe('');
    expect(taught(eventOf('Hello', 4)).textIn(JSON.stringify(eventOf(' world', 12)))).toBe(' world');
  });

  it.each([
    ['another item', JSON.stringify({ ...eventOf('a', 5, padded('x')), item_id: 'msg_2' })],
    ['another type', JSON.stringify({ ...eventOf('a', 5, padded('x')), type: 'response.refusal.delta' })],
    ['escapes in its text', JSON.stringify(eventOf('a"b', 5, padded('x')))],
    ['escapes in its padding', JSON.stringify(eventOf('a', 5, padded('\\')))],
    ['something behind the padding', JSON.stringify({ ...eventOf('a', 5, padded('x')), more: 1 })],
    ['nothing where its number should be', JSON.stringify(eventOf('a', 5, padded('x'))).replace(':5,', ':,')],
    ['no end', JSON.stringify(eventOf('a', 5, padded('x'))).slice(0, -1)],
    ['no text', '{"type":"response.output_text.delta","sequence_number":5'],
    ['other probabilities', JSON.stringify(eventOf('a', 5, { logprobs: [{ token: 'a' }], obfuscation: 'x' }))],
  ])('leaves an event with %s to the parser', (_, data) => {
    expect(taught(eventOf('Hello', 4, padded('x9'))).textIn(data)).toBeUndefined();
  });

  it('leaves an event to the parser whose text has no end, with padding and without', () => {
    const cut = (data: string) => data.replace('"delta":"a"', '"delta":"');

    expect(taught(eventOf('Hello', 4)).textIn(cut(JSON.stringify(eventOf('a', 5))))).toBeUndefined();
    expect(taught(eventOf('Hello', 4, padded('x'))).textIn(cut(JSON.stringify(eventOf('a', 5, padded('x')))))).toBe(
      undefined,
    );
  });

  it('learns nothing from an event without a number, or with something behind its padding', () => {
    const { sequence_number: _, ...event } = eventOf('Hello', 4);
    const frame = new DeltaFrame();
    frame.learn(JSON.stringify(event), event, KIND);

    expect(frame.learned).toBeUndefined();
    expect(taught(eventOf('Hello', 4, { obfuscation: 'x', more: 1 })).learned).toBeUndefined();
    expect(taught(eventOf('Hello', 4, { item_id: '"delta":"Hello"' })).learned).toBeDefined();
  });

  test.prop([
    fc.string(),
    fc.string(),
    fc.nat(),
    fc.nat(),
    fc.string(),
    fc.constantFrom({}, { logprobs: [] }, padded('x'), { delta2: '"delta":"x"' }),
  ])('never reads anything but what a parser reads', (first, second, number, other, padding, more) => {
    const event = eventOf(first, number, more);
    const next = { ...event, delta: second, sequence_number: other, ...('obfuscation' in more ? padded(padding) : {}) };

    const text = taught(event).textIn(JSON.stringify(next));

    expect(text === undefined || text === second).toBe(true);
  });
});
