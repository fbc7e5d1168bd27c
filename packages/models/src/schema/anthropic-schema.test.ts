import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { anthropicSchema } from './anthropic-schema.ts';

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const closed = (properties: object, required: readonly string[] = []) => ({
  ...object(properties, required),
  additionalProperties: false,
});

describe('anthropicSchema', () => {
  it('closes objects, and leaves optional properties optional', () => {
    expect(anthropicSchema(object({ a: text, b: object({ c: text }) }, ['a']))).toEqual(
      closed({ a: text, b: closed({ c: text }) }, ['a']),
    );
  });

  it.each([
    [
      'bounds',
      { type: 'number', minimum: 1, multipleOf: 2 },
      { type: 'number', description: '{minimum: 1, multipleOf: 2}' },
    ],
    ['lengths', { ...text, description: 'd', maxLength: 3 }, { ...text, description: 'd\n\n{maxLength: 3}' }],
    [
      'patterns and rare formats',
      { ...text, pattern: 'a', format: 'x' },
      { ...text, description: '{pattern: "a", format: "x"}' },
    ],
    [
      'more items than one',
      { type: 'array', items: text, minItems: 3, maxItems: 4 },
      { type: 'array', items: text, minItems: 1, description: '{minItems: 3, maxItems: 4}' },
    ],
  ])('tells %s in words', (_, schema, expected) => {
    expect(anthropicSchema(schema)).toEqual(expected);
  });

  it.each([
    ['formats', { ...text, format: 'uri' }, { ...text, format: 'uri' }],
    ['one item', { type: 'array', items: text, minItems: 1 }, { type: 'array', items: text, minItems: 1 }],
    ['values, without their type', { ...text, enum: ['a', 'b'] }, { enum: ['a', 'b'] }],
    ['one value', { ...text, const: 'a' }, { const: 'a' }],
    ['unions', { oneOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
    ['types in a list', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'references',
      { type: 'array', items: { $ref: '#/$defs/t' }, $defs: { t: text, unused: true } },
      { type: 'array', items: { $ref: '#/$defs/t' }, $defs: { t: text } },
    ],
    ['intersections', { allOf: [object({ a: text }), object({ b: text })] }, closed({ a: text, b: text })],
  ])('keeps %s', (_, schema, expected) => {
    expect(anthropicSchema(schema)).toEqual(expected);
  });

  it('makes a choice of types with parts', () => {
    expect(anthropicSchema({ type: ['object', 'null'], properties: { a: text } })).toEqual({
      anyOf: [closed({ a: text }), { type: 'null' }],
    });
  });

  it.each([
    ['recursion at the root', object({ next: { $ref: '#' } }), '/properties/next', '$ref'],
    [
      'recursion below it',
      {
        ...object({ a: { $ref: '#/$defs/a' } }),
        $defs: { a: object({ b: { type: 'array', items: { $ref: '#/$defs/a' } } }) },
      },
      '/$defs/a/properties/b/items',
      '$ref',
    ],
    [
      'open objects',
      object({ p: { type: 'object', additionalProperties: true } }),
      '/properties/p',
      'additionalProperties',
    ],
    ['any value', object({ p: {} }), '/properties/p', 'type'],
    ['tuples', { type: 'array', items: text, prefixItems: [text] }, '', 'prefixItems'],
  ])('refuses %s, naming place and keyword', (_, schema, pointer, keyword) => {
    const fails = () => anthropicSchema({ ...schema });

    expect(fails).toThrow(ValidationError);
    expect(fails).toThrow(expect.objectContaining({ details: { pointer, keyword } }));
  });
});
