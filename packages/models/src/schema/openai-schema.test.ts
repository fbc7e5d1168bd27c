import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { openaiSchema } from './openai-schema.ts';

const text = { type: 'string' };
const nullType = { type: 'null' };
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
/** A property as it is sent. */
function sent(property: object, { required = true, more = {} }: { required?: boolean; more?: object } = {}): unknown {
  const schema = openaiSchema({ ...object({ p: property }, required ? ['p'] : []), ...more }, true);
  return (schema['properties'] as Record<string, unknown>)['p']; // safe: it was just put there
}
function refusal(schema: object): unknown {
  try {
    return openaiSchema({ ...schema }, true);
  } catch (error) {
    return error instanceof ValidationError ? error.details : error;
  }
}

describe('openaiSchema', () => {
  it('sends a schema that is not strict as it is', () => {
    const schema = { type: 'array', prefixItems: [true] };

    expect(openaiSchema(schema, false)).toBe(schema);
  });

  it('requires every property, closes objects and makes what was optional nullable', () => {
    expect(
      openaiSchema(object({ a: text, b: object({ c: text }), l: { type: 'array', items: text } }, ['a']), true),
    ).toEqual({
      type: 'object',
      properties: {
        a: text,
        b: {
          anyOf: [
            {
              type: 'object',
              properties: { c: { type: ['string', 'null'] } },
              required: ['c'],
              additionalProperties: false,
            },
            nullType,
          ],
        },
        l: { anyOf: [{ type: 'array', items: text }, nullType] },
      },
      required: ['a', 'b', 'l'],
      additionalProperties: false,
    });
  });

  it.each([
    ['a type', text, { type: ['string', 'null'] }],
    ['a list of values', { type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    ['one value', { const: 'a' }, { anyOf: [{ type: 'string', const: 'a' }, nullType] }],
    ['a union', { anyOf: [text, { type: 'number' }] }, { anyOf: [text, { type: 'number' }, nullType] }],
    ['what is nullable already', { type: ['number', 'null'] }, { type: ['number', 'null'] }],
    ['a union that is nullable already', { oneOf: [text, nullType] }, { anyOf: [text, nullType] }],
    ['a reference', { $ref: '#/$defs/t' }, { anyOf: [{ $ref: '#/$defs/t' }, nullType] }],
    [
      'a described one',
      { description: 'd', ...object({}) },
      { description: 'd', anyOf: [openaiSchema(object({}), true), nullType] },
    ],
  ])('makes %s nullable', (_, property, expected) => {
    expect(sent(property, { required: false, more: { $defs: { t: text } } })).toEqual(expected);
  });

  it.each([
    [
      'bounds',
      { type: 'integer', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
      { type: 'integer', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
    ],
    [
      'a pattern and a known format',
      { type: 'string', pattern: '^a$', format: 'date' },
      { type: 'string', pattern: '^a$', format: 'date' },
    ],
    ['the type of values', { enum: ['a', 1, null] }, { type: ['string', 'integer', 'null'], enum: ['a', 1, null] }],
    ['values of the type only', { type: 'string', enum: ['a', 1] }, { type: 'string', enum: ['a'] }],
    [
      'titles and descriptions',
      { title: 't', description: 'd', ...text, default: 'x' },
      { title: 't', description: 'd', ...text },
    ],
    [
      'a described reference',
      { $ref: '#/$defs/t', description: 'd' },
      { description: 'd', anyOf: [{ $ref: '#/$defs/t' }] },
    ],
    ['allOf of one', { allOf: [{ $ref: '#/$defs/t' }] }, { $ref: '#/$defs/t' }],
    [
      'allOf of bounds',
      { type: 'number', allOf: [{ minimum: 1 }, { minimum: 3, maximum: 9 }] },
      { type: 'number', minimum: 3, maximum: 9 },
    ],
    [
      'what stands beside a union',
      { type: 'number', anyOf: [{ minimum: 3 }, { const: 1 }] },
      {
        anyOf: [
          { type: 'number', minimum: 3 },
          { type: 'number', const: 1 },
        ],
      },
    ],
    ['a keyword of another type, without it', { ...text, minItems: 1, properties: {} }, text],
  ])('keeps %s', (_, property, expected) => {
    expect(sent(property, { more: { $defs: { t: text } } })).toEqual(expected);
  });

  it('tells in words what has no keyword', () => {
    expect(sent({ ...text, description: 'A name.', minLength: 1, maxLength: 5, format: 'uri' })).toEqual({
      ...text,
      description: 'A name.\n\n{minLength: 1, maxLength: 5, format: "uri"}',
    });
    expect(sent({ ...text, pattern: '^(?!a).*$' })).toEqual({ ...text, description: '{pattern: "^(?!a).*$"}' });
    expect(sent({ type: 'array', items: text, uniqueItems: true })).toMatchObject({
      description: '{uniqueItems: true}',
    });
  });

  it('joins objects of an intersection', () => {
    const schema = {
      allOf: [object({ a: text }, ['a']), { $ref: '#/$defs/b' }],
      $defs: { b: object({ b: text }, ['b']) },
    };

    expect(openaiSchema(schema, true)).toEqual({
      type: 'object',
      properties: { a: text, b: text },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  it('writes out an object whose names are listed', () => {
    const record = { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: text, required: ['a'] };

    expect(sent(record)).toEqual({
      type: 'object',
      properties: { a: text, b: { type: ['string', 'null'] } },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  it('sends the definitions that are used, wherever they stood, and recursion', () => {
    const schema = {
      $ref: '#/definitions/node',
      definitions: {
        node: object({
          next: { $ref: '#/definitions/node' },
          same: { $ref: '#/definitions/node/properties/name' },
          name: text,
        }),
      },
    };

    expect(openaiSchema(schema, true)).toMatchObject({
      properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, nullType] } },
      $defs: { node: { type: 'object' }, node_properties_name: text },
    });
    expect(openaiSchema(object({ next: { $ref: '#' } }, ['next']), true)).toMatchObject({
      properties: { next: { $ref: '#' } },
    });
  });

  it.each([
    ['a list at the root', { type: 'array', items: text }, '', 'type'],
    ['a union at the root', { anyOf: [object({}), object({})] }, '', 'anyOf'],
    [
      'an open object',
      object({ p: { type: 'object', additionalProperties: text } }),
      '/properties/p',
      'additionalProperties',
    ],
    ['any value', object({ p: {} }), '/properties/p', 'type'],
    ['any item', object({ p: { type: 'array' } }), '/properties/p', 'items'],
    ['a tuple', object({ p: { type: 'array', prefixItems: [text], items: text } }), '/properties/p', 'prefixItems'],
    ['not', object({ p: { ...text, not: { const: 'a' } } }), '/properties/p', 'not'],
    ['if', object({ p: { ...text, if: { const: 'a' } } }), '/properties/p', 'if'],
    [
      'patternProperties',
      object({ 'a/b': { type: 'object', patternProperties: {} } }),
      '/properties/a~1b',
      'patternProperties',
    ],
    ['dependentRequired', { ...object({ p: text }), dependentRequired: { p: ['q'] } }, '', 'dependentRequired'],
    ['unevaluatedProperties', { ...object({ p: text }), unevaluatedProperties: text }, '', 'unevaluatedProperties'],
    ['allOf that differs', object({ p: { allOf: [{ pattern: 'a' }, { pattern: 'b' }] } }), '/properties/p', 'allOf'],
    ['allOf of nothing common', object({ p: { allOf: [text, { type: 'number' }] } }), '/properties/p', 'allOf'],
    ['a required property of no schema', object({}, ['p']), '', 'required'],
    ['a value that cannot be', object({ p: false }, ['p']), '/properties/p', 'not'],
    ['an object as a value', object({ p: { enum: [{}] } }), '/properties/p', 'enum'],
    ['an empty list of values', object({ p: { enum: [] } }), '/properties/p', 'enum'],
    ['a reference to elsewhere', object({ p: { $ref: 'https://example.com/s' } }), '/properties/p', '$ref'],
    ['a reference to nothing', object({ p: { $ref: '#/$defs/__proto__' } }), '/properties/p', '$ref'],
    [
      'a reference to itself alone',
      { ...object({ p: { $ref: '#/$defs/a' } }), $defs: { a: { $ref: '#/$defs/a' } } },
      '/properties/p',
      '$ref',
    ],
    ['no schema', object({ p: 7 }), '/properties/p', 'schema'],
  ])('refuses %s, naming place and keyword', (_, schema, pointer, keyword) => {
    expect(refusal(schema)).toEqual({ pointer, keyword });
  });

  it('says what to do', () => {
    expect(() => openaiSchema(object({ p: {} }), true)).toThrow(/type at \/properties\/p .*strict: false/);
  });

  it('refuses what is larger than the service takes', () => {
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`p${i}`, text]));
    const deep = (levels: number): object => (levels === 0 ? object({}) : object({ p: deep(levels - 1) }, ['p']));
    const values = (count: number, length: number) =>
      Array.from({ length: count }, (_, i) => `${i}`.padStart(length, '-'));

    expect(refusal(object(many))).toMatchObject({ keyword: 'properties' });
    expect(refusal(deep(11))).toMatchObject({ keyword: 'properties' });
    expect(refusal(deep(10))).toMatchObject({ type: 'object' });
    expect(refusal(object({ p: { enum: values(1_001, 4) } }))).toMatchObject({ keyword: 'enum' });
    expect(refusal(object({ p: { enum: values(251, 60) } }))).toMatchObject({ keyword: 'enum' });
    expect(refusal(object({ p: { enum: values(2, 60_001) } }))).toMatchObject({ keyword: 'properties' });
  });

  it('refuses hostile schemas at once', () => {
    let doubled: object = text;
    for (let level = 0; level < 60; level++) doubled = { anyOf: [doubled, doubled] };
    const circle: Record<string, unknown> = { type: 'array' };
    circle['items'] = circle;
    const joined = {
      ...object({ p: { $ref: '#/$defs/a' } }),
      $defs: { a: { type: 'string', allOf: [{ $ref: '#/$defs/a' }] } },
    };

    for (const schema of [object({ p: doubled }), object({ p: circle }), joined]) {
      expect(refusal(schema)).toMatchObject({ keyword: 'schema' });
    }
  });

  it('takes __proto__ for a name like any other', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"string"}}}',
    );

    const json = JSON.stringify(openaiSchema(schema as Record<string, unknown>, true));

    expect(json).toContain('"required":["__proto__"]');
    expect(json).toContain('"properties":{"__proto__":{"anyOf":[{"$ref":"#/$defs/__proto___2"},{"type":"null"}]}}');
  });
});
