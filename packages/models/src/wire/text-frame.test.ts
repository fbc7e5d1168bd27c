import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { TextFrame } from './text-frame.ts';

const contentOf = (data: string): string | undefined => {
  const { delta, more } = JSON.parse(data) as { delta: { content?: string }; more?: unknown };
  return more === undefined ? delta.content : undefined;
};
const chunk = (text: string, rest: object = {}) => JSON.stringify({ id: 'x', delta: { content: text }, ...rest });

describe('TextFrame', () => {
  it('reads chunks with the frame it has learnt, and leaves all others', () => {
    const frame = new TextFrame('content');
    expect(frame.textIn(chunk('one'))).toBeUndefined();

    frame.learn(chunk('one'), 'one', contentOf);

    expect(frame.textIn(chunk('two'))).toBe('two');
    expect(frame.textIn(chunk('two', { more: 1 }))).toBeUndefined();
    expect(frame.textIn(chunk('say "hi"\n'))).toBe('say "hi"\n');
    expect(frame.textIn('{"id":"x","delta":{"content":"}}')).toBeUndefined();
    expect(frame.textIn('{"id":"x","delta":{"content":"a","content":"b"}}')).toBeUndefined();
    expect(frame.textIn('{"id":"x","delta":{"content":"a\n"}}')).toBeUndefined();
  });

  it('learns nothing from a place that only looks like the text', () => {
    const frame = new TextFrame('content');
    const decoy = '{"note":{"content":"hi"},"delta":{"content":"h\\u0069"}}';

    frame.learn(decoy, 'hi', contentOf);

    expect(frame.textIn(decoy.replace('"hi"', '"no"'))).toBeUndefined();
  });

  it('gives up on a service whose chunks all differ', () => {
    const frame = new TextFrame('content');
    for (let i = 0; i < 8; i++) frame.learn(chunk('a', { salt: i }), 'a', contentOf);

    frame.learn(chunk('a'), 'a', contentOf);

    expect(frame.textIn(chunk('b'))).toBeUndefined();
  });

  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '","x":"', '\\"', ''));
  test.prop([text, fc.array(text), fc.dictionary(fc.constantFrom('a', 'content', 'delta2'), fc.jsonValue())], {
    numRuns: 500,
  })('never reads anything else than JSON.parse does', (first, texts, rest) => {
    const frame = new TextFrame('content');
    frame.learn(chunk(first, rest), first, contentOf);

    for (const next of texts) {
      const read = frame.textIn(chunk(next, rest));
      expect(read ?? contentOf(chunk(next, rest))).toBe(contentOf(chunk(next, rest)));
    }
  });

  it('learns from escaped text too, but not from what only looks like it', () => {
    const frame = new TextFrame('content');
    const data = chunk('\\', { a: '{"content":"\\""}' });

    frame.learn(data, '\\', contentOf);

    expect(frame.textIn(chunk('a', { a: '{"content":"\\""}' }))).toBe('a');
    expect(frame.textIn(chunk('\\', { a: '{"content":"a"}' }))).toBeUndefined();
  });
});
