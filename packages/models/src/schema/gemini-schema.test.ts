import { describe, expect, it } from 'vitest';
import { geminiSchema } from './gemini-schema.ts';

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

describe('geminiSchema', () => {
  it.each([
    ['objects', { ...object({ a: text, b: text }, ['a']), additionalProperties: false }],
    ['open objects', { type: 'object', additionalProperties: { type: 'number' } }],
    ['tuples', { type: 'array', prefixItems: [text, { type: 'number' }], items: text, minItems: 2, maxItems: 4 }],
    ['any value', {}],
    ['bounds', { type: 'number', minimum: 1, maximum: 2 }],
    ['formats', { ...text, format: 'date-time' }],
    ['values', { ...text, enum: ['a', 'b'] }],
    ['unions', { anyOf: [text, { type: 'null' }], title: 't', description: 'd' }],
    ['references', { type: 'array', items: { $ref: '#/$defs/t' }, $defs: { t: text } }],
  ])('sends %s as they are', (_, schema) => {
    expect(geminiSchema(schema)).toEqual(schema);
  });

  it.each([
    ['const', { ...text, const: 'a' }, { ...text, enum: ['a'] }],
    [
      'null among values',
      { enum: ['a', 1, null] },
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'integer', enum: [1] }, { type: 'null' }] },
    ],
    ['a const of null', { const: null }, { type: 'null' }],
    ['a const of true', { const: true, description: 'd' }, { type: 'boolean', description: 'd\n\n{enum: [true]}' }],
    ['oneOf', { oneOf: [text, { type: 'number' }] }, { anyOf: [text, { type: 'number' }] }],
    [
      'a described reference',
      { ...object({ a: { $ref: '#/$defs/t', description: 'd' } }), $defs: { t: text } },
      { type: 'object', properties: { a: { description: 'd', anyOf: [{ $ref: '#/$defs/t' }] } }, $defs: { t: text } },
    ],
    [
      'an intersection',
      { allOf: [object({ a: text }), object({ b: text })] },
      { type: 'object', properties: { a: text, b: text } },
    ],
    [
      'closed tuples',
      { type: 'array', prefixItems: [text], items: false },
      { type: 'array', prefixItems: [text], maxItems: 1 },
    ],
    ['tuples of old', { type: 'array', items: [text] }, { type: 'array', prefixItems: [text] }],
    [
      'an object whose names are listed',
      { type: 'object', propertyNames: { type: 'string', enum: ['a'] }, additionalProperties: text, required: ['a'] },
      { ...object({ a: text }, ['a']), additionalProperties: text },
    ],
    [
      'an object of any names',
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: text },
      { type: 'object', additionalProperties: text },
    ],
    ['a format with its pattern', { ...text, format: 'date', pattern: 'x' }, { ...text, format: 'date' }],
    ['true', object({ a: true }), { type: 'object', properties: { a: {} } }],
  ])('writes %s in its own way', (_, schema, expected) => {
    expect(geminiSchema({ ...schema })).toEqual(expected);
  });

  it.each([
    ['lengths', { ...text, maxLength: 3 }, '{maxLength: 3}'],
    ['patterns', { ...text, pattern: 'a' }, '{pattern: "a"}'],
    ['exclusive bounds', { type: 'number', exclusiveMinimum: 3 }, '{exclusiveMinimum: 3}'],
    ['not', { ...text, not: { const: 'a' } }, '{not: {"const":"a"}}'],
    [
      'patterns of names',
      { type: 'object', patternProperties: { a: text } },
      '{patternProperties: {"a":{"type":"string"}}}',
    ],
    [
      'an intersection that cannot be joined',
      { ...text, allOf: [{ pattern: 'a' }], pattern: 'b' },
      '{pattern: "b", allOf: [{"pattern":"a"}]}',
    ],
  ])('tells %s in words', (_, schema, description) => {
    expect(geminiSchema(schema)).toEqual({ type: schema.type, description });
  });

  it('makes properties optional through which a schema refers to itself', () => {
    const node = object({ name: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } }, [
      'name',
      'children',
    ]);
    const schema = { ...object({ tree: { $ref: '#/$defs/node' } }, ['tree']), $defs: { node } };

    expect(geminiSchema(schema)).toEqual({ ...schema, $defs: { node: { ...node, required: ['name'] } } });
    expect(geminiSchema(object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, ['next']))).toMatchObject({
      required: [],
    });
  });

  it('keeps what is required where a circle is broken elsewhere', () => {
    const schema = {
      ...object({ a: { $ref: '#/$defs/a' } }, ['a']),
      $defs: { a: object({ b: { $ref: '#/$defs/b' } }, ['b']), b: object({ a: { $ref: '#/$defs/a' } }) },
    };

    expect(geminiSchema(schema)).toMatchObject({ required: ['a'], $defs: { a: { required: ['b'] } } });
  });

  it('refuses a schema that refers to itself without a property, and one that refers to elsewhere', () => {
    const list = {
      ...object({ a: { $ref: '#/$defs/a' } }),
      $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } },
    };

    expect(() => geminiSchema(list)).toThrow(
      expect.objectContaining({ details: { pointer: '/$defs/a/items', keyword: '$ref' } }),
    );
    expect(() => geminiSchema({ $ref: 'other.json' })).toThrow(
      expect.objectContaining({ details: { pointer: '', keyword: '$ref' } }),
    );
  });
});
