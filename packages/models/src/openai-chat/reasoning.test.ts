import { describe, expect, it } from 'vitest';
import { Reasoning } from './reasoning.ts';

function gathered(pieces: readonly object[]) {
  const reasoning = new Reasoning();
  const text = pieces.map((piece) => reasoning.add({ reasoning_details: [piece] })).join('');
  return { text, details: reasoning.fields()['reasoning_details'] ?? [] };
}
const text = (said: string, more: object = {}) => ({ type: 'reasoning.text', text: said, ...more });

describe('Reasoning', () => {
  it('joins the pieces of one part and keeps the last of what comes whole', () => {
    const pieces = [
      text('a', { index: 0, id: null }),
      text('b', { index: 0 }),
      { type: 'reasoning.text', signature: 's', index: 0, id: 'i' },
    ];

    expect(gathered(pieces)).toEqual({ text: 'ab', details: [{ ...text('ab'), index: 0, id: 'i', signature: 's' }] });
  });

  it.each([
    ['index', text('a', { index: 0 }), text('b', { index: 1 })],
    ['type', text('a', { index: 0 }), { type: 'reasoning.summary', summary: 'b', index: 0 }],
    ['id', text('a', { index: 0, id: '1' }), text('b', { index: 0, id: '2' })],
    ['signature, without an index', text('a', { signature: 's' }), text('b')],
  ])('begins another part with another %s', (_, one, other) => {
    expect(gathered([one, other])).toEqual({ text: 'ab', details: [one, other] });
  });

  it('never joins what is encrypted', () => {
    const pieces = ['x', 'y'].map((data) => ({ type: 'reasoning.encrypted', data, index: 0 }));

    expect(gathered(pieces)).toEqual({ text: '', details: pieces });
  });

  it('joins pieces without an index until the signature', () => {
    expect(gathered([text('a'), text('b'), { type: 'reasoning.text', signature: 's' }])).toEqual({
      text: 'ab',
      details: [{ ...text('ab'), signature: 's' }],
    });
  });

  it('has no fields when there is nothing to bring back', () => {
    const reasoning = new Reasoning();

    reasoning.add({ reasoning_details: [], thinking_blocks: null, extra_content: { google: { thought: true } } });

    expect(reasoning.fields()).toEqual({});
  });

  it('changes none of the pieces', () => {
    const first = Object.freeze(text('a', { index: 0 }));

    expect(gathered([first, text('b', { index: 0 })]).text).toBe('ab');
    expect(first).toEqual(text('a', { index: 0 }));
  });
});
