import { describe, expect, it } from 'vitest';
import { ReplyBlocks } from './reply-blocks.ts';

const whole = { cut: false };
const data = (value: unknown) => ({ providerData: { provider: 'anthropic', data: value } });

describe('ReplyBlocks', () => {
  it.each([undefined, null, 'text', {}, { type: 7 }])('leaves out a block that was announced as %j', (announced) => {
    const blocks = new ReplyBlocks();

    blocks.add(0, announced);

    expect(blocks.size).toBe(1);
    expect(blocks.content(whole)).toEqual([]);
  });

  it.each([
    ['in one piece, as its JSON', '{"a":1}', { a: 1 }],
    ['in one piece, as an object', { a: 1 }, { a: 1 }],
    ['as an empty object', {}, {}],
    ['not at all', undefined, {}],
  ])('takes the input of a call %s', (_, input, expected) => {
    const blocks = new ReplyBlocks();

    blocks.add(0, { type: 'tool_use', id: 'c', name: 't', input });

    expect(blocks.content(whole)).toEqual([{ type: 'tool_use', id: 'c', name: 't', input: expected }]);
  });

  it('prefers the pieces of an input to what the call was announced with', () => {
    const blocks = new ReplyBlocks();

    blocks.add(0, { type: 'tool_use', id: 'c', name: 't', input: '{"a":1}' });
    blocks.addInput(0, '{"a":');
    blocks.addInput(0, '2}');

    expect(blocks.content(whole)).toMatchObject([{ input: { a: 2 } }]);
  });

  it.each([
    ['the last of two', ['one', 'two'], 'two'],
    ['the last that is not empty', ['one', ''], 'one'],
    ['none, where it is empty', [''], ''],
    ['none that is no text', ['one', 7], 'one'],
  ])('signs a thought with %s', (_, signatures, signature) => {
    const blocks = new ReplyBlocks();

    blocks.add(0, { type: 'thinking', thinking: 'Hm.' });
    for (const one of signatures) blocks.sign(0, one);

    expect(blocks.content(whole)).toEqual([{ type: 'thinking', text: 'Hm.', ...data({ signature }) }]);
  });

  it('signs nothing but a thought', () => {
    const blocks = new ReplyBlocks();

    blocks.add(0, { type: 'text', text: 'Hi.' });
    blocks.sign(0, 'sig');

    expect(blocks.content(whole)).toEqual([{ type: 'text', text: 'Hi.' }]);
  });

  it('keeps the citations of a text that are objects, wherever they came from', () => {
    const blocks = new ReplyBlocks();

    blocks.add(0, { type: 'text', text: 'Hi.', citations: [{ url: 'a' }] });
    blocks.cite(0, { url: 'b' });
    blocks.cite(0, 'c');
    blocks.cite(0, null);

    expect(blocks.content(whole)).toEqual([
      {
        type: 'text',
        text: 'Hi.',
        sources: [{ url: 'a' }, { url: 'b' }],
        ...data({ citations: [{ url: 'a' }, { url: 'b' }] }),
      },
    ]);
  });

  it('completes what only the service reads, and nothing else', () => {
    const blocks = new ReplyBlocks();

    blocks.add(0, { type: 'redacted_thinking' });
    blocks.add(1, { type: 'text', text: 'Hi.' });
    blocks.complete(0, { type: 'delta', data: 'x' });
    blocks.complete(1, { type: 'delta', text: 'lost' });

    expect(blocks.content(whole)).toEqual([
      { type: 'thinking', text: '', ...data({ block: { type: 'redacted_thinking', data: 'x' } }) },
      { type: 'text', text: 'Hi.' },
    ]);
  });

  it.each([
    ['counts from 1', [1, 2]],
    ['counts in words', ['a', 'b']],
  ])('finds a block again where the service %s', (_, [one, two]) => {
    const blocks = new ReplyBlocks();

    const first = blocks.add(one, { type: 'text', text: 'one' });
    first.ended = true;
    const second = blocks.add(two, { type: 'text', text: 'two' });

    expect(blocks.find(two)).toBe(second);
    expect(blocks.find(undefined)).toBe(second);
    expect(blocks.find('none')).toBeUndefined();
  });
});
