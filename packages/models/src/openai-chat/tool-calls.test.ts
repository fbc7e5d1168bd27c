import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type CallPiece, ToolCalls } from './tool-calls.ts';

function blocksOf(pieces: readonly CallPiece[], known: readonly string[] = []) {
  const calls = new ToolCalls(known);
  for (const piece of pieces) calls.add(piece);
  return calls.blocks({ provider: 'p', cut: false });
}
const named = (name: string, text: string, more: CallPiece = {}): CallPiece => {
  return { ...more, function: { name, arguments: text } };
};
const more = (text: string, at: CallPiece = {}): CallPiece => ({ ...at, function: { arguments: text } });

describe('ToolCalls', () => {
  it('joins a name that comes in pieces when that makes the name of a tool, and else takes the last', () => {
    const pieces = ['get', '_', 'weather'].map((name) => named(name, '', { index: 0, id: 'c' }));

    expect(blocksOf(pieces, ['get_weather'])).toMatchObject([{ name: 'get_weather' }]);
    expect(blocksOf(pieces, ['get_weather', 'weather'])).toMatchObject([{ name: 'weather' }]);
    expect(blocksOf(pieces)).toMatchObject([{ name: 'weather' }]);
  });

  it('does not take a name that is repeated for a piece of one', () => {
    const pieces = ['{"a"', ':1', '}'].map((text) => named('a', text, { index: 0 }));

    expect(blocksOf(pieces, ['a', 'aa'])).toMatchObject([{ name: 'a', input: { a: 1 } }]);
  });

  it('tells calls at one index apart by their ids and names, when the one before is whole', () => {
    const first = named('a', '{}', { index: 0, id: 'c1' });

    expect(blocksOf([first, named('a', '{"x":1}', { index: 0, id: 'c2' })])).toHaveLength(2);
    expect(blocksOf([first, named('a', '{"x":1}', { index: 0, id: 'c1' })])).toHaveLength(1);
    expect(blocksOf([named('a', '', { index: 0, id: 'c1' }), named('b', '{}', { index: 0, id: 'c2' })])).toHaveLength(
      2,
    );
  });

  it('tells calls without id and index apart when the one before is whole, and takes the same once more for one', () => {
    expect(blocksOf([named('a', '{"x":1}'), named('a', '{"x":2}')])).toHaveLength(2);
    expect(blocksOf([named('a', '{"x":1}'), named('a', '{"x":1}')])).toHaveLength(1);
    expect(blocksOf([named('a', '{"x":'), named('a', '1}')])).toMatchObject([{ input: { x: 1 } }]);
    expect(blocksOf([named('a', '{"x":1}', { index: 0 }), named('a', '{"x":2}', { index: 0 })])).toHaveLength(2);
  });

  it('gives rests without index and id to the calls that were begun together, in their order', () => {
    const calls = new ToolCalls([]);
    const deltas = [
      [named('a', '', { id: 'c1' }), named('b', '', { id: 'c2' })],
      [more('{"x":'), more('{"y":')],
      [more('1}'), more('2}')],
      [named('c', '', { id: 'c3' })],
      [more('{"z":3}')],
    ];
    for (const delta of deltas) delta.forEach((piece, position) => calls.add(piece, position));

    const inputs = calls.blocks({ provider: 'p', cut: false }).map(({ input }) => input);
    expect(inputs).toEqual([{ x: 1 }, { y: 2 }, { z: 3 }]);
  });

  it('gives a rest at an index that nobody has begun to the call that is not finished', () => {
    const rest = more('{"x":1}', { index: 1 });

    expect(blocksOf([named('a', '', { index: 0, id: 'c1' }), rest])).toMatchObject([{ id: 'c1', input: { x: 1 } }]);
    expect(blocksOf([named('a', '{}', { index: 0, id: 'c1' }), rest])).toHaveLength(2);
  });

  it('takes a piece with a known id for a piece of that call, whatever its index', () => {
    const pieces = [
      named('a', '{"x":', { index: 0, id: 'c1' }),
      named('b', '{}', { index: 1, id: 'c2' }),
      more('1}', { index: 1, id: 'c1' }),
    ];

    expect(blocksOf(pieces)).toMatchObject([{ input: { x: 1 } }, { input: {} }]);
  });

  it('takes a rest that repeats the name, but not the id, for a rest', () => {
    const pieces = [named('a', '{"x":1', { index: 0, id: 'c1' }), named('a', '}', { index: 0, id: null })];

    expect(blocksOf(pieces)).toMatchObject([{ id: 'c1', input: { x: 1 } }]);
  });

  it('gives every call an id of its own', () => {
    const ids = blocksOf([0, 1, 2].map((index) => named('a', '{}', { index, id: index === 0 ? '' : 'c' }))).map(
      ({ id }) => id,
    );

    expect(ids).toEqual([expect.stringMatching(/^call_/), 'c', expect.stringMatching(/^call_/)]);
  });

  it('keeps what the service wants back with a call, and nothing else', () => {
    const piece = {
      ...named('a', '{}', { index: 0 }),
      extra_content: { s: 1 },
      provider_specific_fields: null,
      other: 7,
    };

    expect(blocksOf([piece, more('', { index: 0 })])).toMatchObject([
      { providerData: { provider: 'p', data: { extra_content: { s: 1 } } } },
    ]);
    expect(blocksOf([named('a', '{}')])[0]).not.toHaveProperty('providerData');
  });

  it.each([{}, { index: 0 }, { index: 0, function: null }, { index: 0, function: { arguments: '' } }])(
    'opens nothing for %j',
    (piece) => {
      expect(blocksOf([piece])).toEqual([]);
    },
  );

  const text = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }).map((value) => JSON.stringify(value));
  test.prop([fc.array(text, { maxLength: 4 }), fc.infiniteStream(fc.nat()), fc.boolean()])(
    'reads calls however their pieces are interleaved, and whether or not ids and names are repeated',
    (inputs, random, repeats) => {
      const rests = inputs.map((input) => input);
      const pieces: CallPiece[] = inputs.map((_, index) => named(`t${index}`, '', { index, id: `c${index}` }));
      while (rests.some((rest) => rest !== '')) {
        const index = random.next().value % rests.length;
        const size = 1 + (random.next().value % 5);
        const piece = rests[index]!.slice(0, size); // the index is within
        rests[index] = rests[index]!.slice(size); // as above
        pieces.push(repeats ? named(`t${index}`, piece, { index, id: `c${index}` }) : more(piece, { index }));
      }

      const expected = inputs.map((input, index) => {
        return { type: 'tool_use', id: `c${index}`, name: `t${index}`, input: JSON.parse(input) as unknown };
      });
      expect(blocksOf(pieces)).toEqual(expected);
    },
  );
});
