// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { conjunction } from './conjunction.ts';
import type { SchemaNode } from './schema-node.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const closed = (properties: object) => ({ properties, additionalProperties: false });
const tuple = (...prefixItems: object[]) => ({ prefixItems, items: false });

describe('conjunction', () => {
  it.each<[string, SchemaNode, SchemaNode, SchemaNode]>([
    ['keywords of one alone', { type: 'string' }, { minLength: 1 }, { type: 'string', minLength: 1 }],
    ['the same keyword twice', { pattern: 'a' }, { pattern: 'a' }, { pattern: 'a' }],
    ['a keyword that the other leaves undefined', { pattern: 'a' }, { pattern: undefined }, { pattern: 'a' }],
    ['words, of which the first hold', { title: 'mine' }, { title: 'theirs' }, { title: 'mine' }],
    ['types', { type: ['string', 'number'] }, { type: ['number', 'null'] }, { type: 'number' }],
    ['several types', { type: ['string', 'null'] }, { type: ['null', 'string'] }, { type: ['string', 'null'] }],
    ['integers, which are numbers', { type: 'number' }, { type: 'integer' }, { type: 'integer' }],
    ['lower bounds', { minimum: 1, minLength: 4 }, { minimum: 2, minLength: 3 }, { minimum: 2, minLength: 4 }],
    ['upper bounds', { maximum: 1, maxItems: 4 }, { maximum: 2, maxItems: 3 }, { maximum: 1, maxItems: 3 }],
    ['exclusive lower bounds', { exclusiveMinimum: 1 }, { exclusiveMinimum: 2 }, { exclusiveMinimum: 2 }],
    ['exclusive upper bounds', { exclusiveMaximum: 1 }, { exclusiveMaximum: 2 }, { exclusiveMaximum: 1 }],
    ['required properties', { required: ['a', 'b'] }, { required: ['b', 'c'] }, { required: ['a', 'b', 'c'] }],
    ['intersections', { allOf: [text] }, { allOf: [number] }, { allOf: [text, number] }],
    [
      'values, as far as both list them',
      { enum: ['a', { b: 1 }, 2] },
      { enum: [2, { b: 1 }] },
      { enum: [{ b: 1 }, 2] },
    ],
    ['items', { items: text }, { items: { minLength: 1 } }, { items: { allOf: [text, { minLength: 1 }] } }],
    [
      'properties of one name',
      { properties: { a: text, same: text } },
      { properties: { a: { minLength: 1 }, same: text, b: number } },
      { properties: { a: { allOf: [text, { minLength: 1 }] }, same: text, b: number } },
    ],
    [
      'an object that is closed, where the other names nothing else',
      closed({ a: text, b: text }),
      { properties: { a: text } },
      closed({ a: text, b: text }),
    ],
    [
      'a condition of one alone',
      { if: text, then: { minLength: 1 } },
      text,
      { ...text, if: text, then: { minLength: 1 } },
    ],
    ['the same condition', { if: text, then: number }, { if: text, then: number }, { if: text, then: number }],
    [
      'the same counted items',
      { contains: text, minContains: 2 },
      { contains: text, minContains: 2 },
      { contains: text, minContains: 2 },
    ],
    ['two objects closed alike', closed({ a: text }), closed({ a: text }), closed({ a: text })],
    ['a list that ends, where the other lists no more', tuple(text), { prefixItems: [text] }, tuple(text)],
  ])('joins %s', (_, one, other, joined) => {
    expect(conjunction(one, other)).toEqual(joined);
  });

  it.each<[string, string, SchemaNode, SchemaNode]>([
    ['type', 'no type of both', { type: 'string' }, { type: 'number' }],
    ['type', 'a type that is none', { type: 7 }, { type: 'string' }],
    ['type', 'a type of the other that is none', { type: 'string' }, { type: 7 }],
    ['enum', 'no value of both', { enum: ['a'] }, { enum: ['b'] }],
    ['const', 'two values', { const: 1 }, { const: 2 }],
    ['pattern', 'two patterns', { pattern: 'a' }, { pattern: 'b' }],
    ['multipleOf', 'two factors', { multipleOf: 2 }, { multipleOf: 3 }],
    ['minimum', 'a bound that is no number', { minimum: 1 }, { minimum: '2' }],
    ['properties', 'properties that are none', { properties: { a: text } }, { properties: [text] }],
    ['prefixItems', 'two lists of items', { prefixItems: [text] }, { prefixItems: [number] }],
    [
      'additionalProperties',
      'a closed object, and a name it does not have',
      closed({ a: text }),
      { properties: { b: text } },
    ],
    [
      'additionalProperties',
      'a name that the closed one does not have',
      { properties: { b: text } },
      closed({ a: text }),
    ],
    [
      'additionalProperties',
      'a closed object without names',
      { additionalProperties: false },
      { properties: { b: text } },
    ],
    [
      'additionalProperties',
      'a closed object, and patterns of names',
      closed({ a: text }),
      { patternProperties: { '^b': text } },
    ],
    [
      'contains',
      'what one asks for once, and the other not at all',
      { contains: text },
      { contains: text, minContains: 0 },
    ],
    ['contains', 'a count, and what is not counted there', { contains: text }, { minContains: 2 }],
    ['if', 'a question, and an answer to none', { if: text }, { then: { minLength: 1 } }],
    ['if', 'two answers to one question', { if: text, then: { minLength: 1 } }, { if: text, else: number }],
    ['items', 'a list that ends, and a longer one', tuple(text), { prefixItems: [text, text] }],
    ['items', 'items of one kind, and listed ones', { items: text }, { prefixItems: [number] }],
  ])('names %s as the obstacle between %s', (keyword, _, one, other) => {
    expect(conjunction(one, other)).toBe(keyword);
  });

  it('joins what is named __proto__ as any other name', () => {
    const one = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
    const other = JSON.parse('{"properties":{"__proto__":{"minLength":1},"a":{}}}');

    const { properties } = conjunction(one, other) as { properties: object };

    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
    expect(Object.entries(properties)).toEqual([
      ['__proto__', { allOf: [{ type: 'string' }, { minLength: 1 }] }],
      ['a', {}],
    ]);
  });
});
