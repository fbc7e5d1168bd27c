import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { withoutNulls } from './without-nulls.ts';

const text = { type: 'string' };
const maybe = { type: ['string', 'null'] };
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

describe('withoutNulls', () => {
  it('takes away nulls of optional properties, and leaves those that are required or nullable', () => {
    const schema = object({ a: text, b: text, c: maybe, d: { anyOf: [text, { type: 'null' }] } }, ['b']);

    expect(withoutNulls({ a: null, b: null, c: null, d: null }, schema)).toEqual({ b: null, c: null, d: null });
  });

  it.each([
    ['const', { const: null }],
    ['enum', { enum: ['a', null] }],
    ['a schema that says nothing', {}],
    ['true', true],
    ['a reference', { $ref: '#/$defs/maybe' }],
    ['allOf', { allOf: [maybe, { description: 'so' }] }],
    ['itself', { $ref: '#/$defs/self' }],
  ])('leaves a null that is allowed by %s', (_, property) => {
    const schema = { ...object({ a: property }), $defs: { maybe, self: { $ref: '#/$defs/self' } } };

    expect(withoutNulls({ a: null }, schema)).toEqual({ a: null });
  });

  it('reaches properties, items, tuples, other properties, allOf and references', () => {
    const inner = object({ x: text });
    const schema = {
      ...object({
        property: inner,
        items: { type: 'array', items: inner },
        tuple: { prefixItems: [text, inner], items: inner },
        others: { type: 'object', additionalProperties: inner },
        all: { allOf: [object({ y: text }), inner] },
        reference: { $ref: '#/$defs/in~1ner%20' },
      }),
      $defs: { 'in/ner ': inner },
    };
    const x = { x: null };
    const value = {
      property: x,
      items: [x, x],
      tuple: ['a', x, x],
      others: { a: x },
      all: { y: null, ...x },
      reference: x,
    };

    expect(withoutNulls(value, schema)).toEqual({
      property: {},
      items: [{}, {}],
      tuple: ['a', {}, {}],
      others: { a: {} },
      all: {},
      reference: {},
    });
  });

  it('leaves the null of an entry that no property names: a record has no optional ones', () => {
    const record = { type: 'object', additionalProperties: { type: 'number' } };

    expect(withoutNulls({ a: null, b: 1 }, record)).toEqual({ a: null, b: 1 });
    expect(withoutNulls({ a: null, x: null }, { ...object({ x: text }), ...record })).toEqual({ a: null });
  });

  it.each([
    ['another document', { $ref: 'https://example.com/a#/$defs/a' }],
    ['a file', { $ref: 'other' }],
    ['a place that is not there', { $ref: '#/$defs/gone/deeper' }],
    ['a place below a text', { $ref: '#/description/length' }],
    ['what objects inherit', { $ref: '#/toString' }],
  ])('leaves a null that a reference to %s may allow, and all below it', (_, property) => {
    const schema = { ...object({ a: property, b: text }), description: 'so', $defs: { a: text } };

    expect(withoutNulls({ a: null, b: null }, schema)).toEqual({ a: null });
    expect(withoutNulls({ a: { x: null } }, schema)).toEqual({ a: { x: null } });
  });

  it('follows a reference whose escapes are none, as it is written', () => {
    const property = { $ref: '#/$defs/100%' };

    expect(withoutNulls({ a: null }, { ...object({ a: property }), $defs: { '100%': text } })).toEqual({});
    expect(withoutNulls({ a: null }, { ...object({ a: property }), $defs: { '100%': maybe } })).toEqual({ a: null });
  });

  it('reads the tuples of draft-07, and nothing of the items behind them', () => {
    const inner = object({ x: text });
    const nested = { x: null };

    expect(withoutNulls([nested, nested], { items: [inner] })).toEqual([{}, nested]);
    expect(withoutNulls([nested, nested], { items: [{}, inner] })).toEqual([nested, {}]);
  });

  it('passes over a choice that fits nothing, and stops at one that fits everything', () => {
    const strict = object({ x: text });

    for (const union of ['anyOf', 'oneOf']) {
      expect(withoutNulls({ x: null }, { [union]: [false, strict] })).toEqual({});
      expect(withoutNulls({ x: null }, { [union]: [true, strict] })).toEqual({ x: null });
    }
  });

  it('follows the choice that fits', () => {
    const one = object({ kind: { const: 'one' }, note: text }, ['kind']);
    const two = object({ kind: { const: 'two' }, note: maybe }, ['kind']);

    for (const union of ['anyOf', 'oneOf']) {
      const schema = { [union]: [{ type: 'string' }, one, two] };
      expect(withoutNulls({ kind: 'one', note: null }, schema)).toEqual({ kind: 'one' });
      expect(withoutNulls({ kind: 'two', note: null }, schema)).toEqual({ kind: 'two', note: null });
      expect(withoutNulls({ kind: 'none', note: null }, schema)).toEqual({ kind: 'none', note: null });
    }
  });

  it('follows the choice whose items or numbers fit', () => {
    const [numbers, others] = [{ type: 'number' }, { properties: { x: text } }].map((items) => ({
      type: 'array',
      items,
    }));
    const lists = { anyOf: [numbers, others] };
    const one = object({ n: { type: 'integer' }, note: text }, ['n']);
    const two = object({ n: { type: 'number' }, note: maybe }, ['n']);

    expect(withoutNulls([{ x: null }, 1], lists)).toEqual([{}, 1]);
    expect(withoutNulls({ n: 1, note: null }, { oneOf: [one, two] })).toEqual({ n: 1 });
    expect(withoutNulls({ n: 1.5, note: null }, { oneOf: [one, two] })).toEqual({ n: 1.5, note: null });
    expect(withoutNulls({ n: [1], note: null }, { oneOf: [one, two] })).toEqual({ n: [1], note: null });
  });

  it('compares listed values as JSON', () => {
    const kind = (value: unknown) => object({ kind: { const: value }, note: text }, ['kind']);
    const schema = { anyOf: [kind([1]), kind({ a: 1 }), kind({ a: 1, b: [2] })] };

    expect(withoutNulls({ kind: { b: [2], a: 1 }, note: null }, schema)).toEqual({ kind: { b: [2], a: 1 } });
    expect(withoutNulls({ kind: [2], note: null }, schema)).toEqual({ kind: [2], note: null });
    expect(withoutNulls({ kind: { 0: 1 }, note: null }, schema)).toEqual({ kind: { 0: 1 }, note: null });
  });

  it('reads recursive schemas as deep as the value goes', () => {
    const node = object({ next: { $ref: '#' }, name: text }, ['name']);

    expect(withoutNulls({ name: 'a', next: { name: 'b', next: null } }, node)).toEqual({
      name: 'a',
      next: { name: 'b' },
    });
  });

  it('answers in time where every level has the same choices twice', () => {
    const schema = {
      anyOf: [object({ a: { $ref: '#' }, b: { type: 'number' } }, ['b']), object({ a: { $ref: '#' } })],
    };
    let value: object = { a: null };
    for (let depth = 0; depth < 400; depth++) value = { a: value };

    expect(JSON.stringify(withoutNulls(value, schema))).toBe(JSON.stringify(value).replace('{"a":null}', '{}'));
  });

  it('changes neither value nor prototype', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"object","properties":{"x":{"type":"string"}}}}}');
    const value = JSON.parse('{"__proto__":{"x":null,"y":1}}') as object;

    const cleaned = withoutNulls(value, schema) as object;

    expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"y":1}}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":null,"y":1}}');
    expect(Object.getPrototypeOf(cleaned)).toBe(Object.prototype);
  });

  it.each([null, 7, 'a', true, undefined])('leaves %s as it is', (value) => {
    expect(withoutNulls(value, object({}))).toBe(value);
  });

  test.prop([fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 })])(
    'survives any value and any schema',
    (value, schema) => {
      // safe: any JSON is what a hostile schema may be
      const cleaned = withoutNulls(value, schema as Record<string, unknown>);

      expect(withoutNulls(cleaned, schema as Record<string, unknown>)).toEqual(cleaned);
    },
  );
});
