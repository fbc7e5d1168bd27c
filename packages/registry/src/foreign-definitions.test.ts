import { describe, expect, it } from 'vitest';
import { functionTool } from './function-tool.ts';

const toolOf = (parameters: object | undefined, more: object = {}) =>
  functionTool(
    { type: 'function', function: { name: 'tool', description: 'd', parameters, ...more } },
    (input) => input,
  );
const DRAFT_7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** The shapes that published servers describe their tools in: a schema, and inputs that it takes and refuses. */
const SHAPES: readonly (readonly [shape: string, schema: object, good: unknown, bad: unknown])[] = [
  [
    'closed, draft-07',
    { ...DRAFT_7, ...object({ path: { type: 'string' } }, { required: ['path'], additionalProperties: false }) },
    { path: 'a' },
    { path: 1 },
  ],
  ['without properties', { ...DRAFT_7, type: 'object' }, {}, []],
  ['with no properties', { ...DRAFT_7, ...object({}), additionalProperties: false }, {}, { a: 1 }],
  [
    'exclusive bounds in numbers',
    { ...DRAFT_7, ...object({ n: { type: 'integer', exclusiveMinimum: 0, maximum: 9007199254740991 } }) },
    { n: 1 },
    { n: 0 },
  ],
  [
    'exclusive bounds in booleans',
    object({ n: { type: 'number', minimum: 0, exclusiveMinimum: true } }),
    { n: 1 },
    { n: 0 },
  ],
  [
    'a tuple of draft-07',
    {
      ...DRAFT_7,
      ...object({
        at: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], minItems: 2, additionalItems: false },
      }),
    },
    { at: [1, 2] },
    { at: [1, 'x'] },
  ],
  [
    'definitions',
    { ...DRAFT_7, ...object({ a: { $ref: '#/definitions/A' } }), definitions: { A: { type: 'string' } } },
    { a: 'x' },
    { a: 1 },
  ],
  [
    '$defs',
    object({ a: { $ref: '#/$defs/A', description: 'd' } }, { $defs: { A: { type: 'string' } } }),
    { a: 'x' },
    { a: 1 },
  ],
  [
    'a reference into a property',
    { ...DRAFT_7, ...object({ a: object({ x: { type: 'string' } }), b: { $ref: '#/properties/a/properties/x' } }) },
    { b: 'x' },
    { b: 1 },
  ],
  [
    'a reference into a tuple',
    { ...DRAFT_7, ...object({ a: { items: [{ type: 'string' }] }, b: { $ref: '#/properties/a/items/0' } }) },
    { b: 'x' },
    { b: 1 },
  ],
  [
    'recursion',
    {
      ...DRAFT_7,
      ...object({ filter: { $ref: '#/definitions/F' } }),
      definitions: { F: object({ and: { type: 'array', items: { $ref: '#/definitions/F' } } }) },
    },
    { filter: { and: [{}] } },
    { filter: { and: [1] } },
  ],
  [
    'a record',
    { ...DRAFT_7, ...object({ env: { type: 'object', additionalProperties: { type: 'string' } } }) },
    { env: { A: 'x' } },
    { env: { A: 1 } },
  ],
  [
    'names with a pattern',
    { ...DRAFT_7, ...object({ env: { type: 'object', propertyNames: { type: 'string', pattern: '^[A-Z]+$' } } }) },
    { env: { A: 1 } },
    { env: { a: 1 } },
  ],
  [
    'unions by anyOf with null',
    object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'A' } }),
    { a: null },
    { a: 1 },
  ],
  ['a list of types', object({ a: { type: ['string', 'null'] } }), { a: null }, { a: 1 }],
  ['nullable', object({ a: { type: 'string', nullable: true } }), { a: null }, { a: 1 }],
  ['a default that does not fit', object({ a: { type: 'string', default: null } }), {}, { a: 1 }],
  ['a format of its own', object({ a: { type: 'string', format: 'json' } }), { a: '{' }, { a: 1 }],
  [
    'const and enum without a type',
    { ...DRAFT_7, ...object({ kind: { const: 'a' }, n: { enum: [1, 'x', null] } }) },
    { kind: 'a', n: null },
    { kind: 'b' },
  ],
  [
    'oneOf with const',
    object({
      e: {
        oneOf: [object({ t: { const: 'a' } }, { required: ['t'] }), object({ t: { const: 'b' } }, { required: ['t'] })],
        discriminator: { propertyName: 't' },
      },
    }),
    { e: { t: 'b' } },
    { e: { t: 'c' } },
  ],
  ['not', object({ a: { not: {} } }), {}, { a: 1 }],
  [
    'vendor keywords',
    object({ a: { type: 'string', 'x-order': 1, example: 'x', placeholder: 'p' } }),
    { a: 'x' },
    { a: 1 },
  ],
  ['a pattern with look-around', object({ a: { type: 'string', pattern: '^(?!\\s)' } }), { a: ' ' }, { a: 1 }],
  [
    '2020-12 by name',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...object({ a: { type: 'array', prefixItems: [{ type: 'string' }] } }),
    },
    { a: ['x'] },
    { a: [1] },
  ],
  [
    '2019-09 by name',
    {
      $schema: 'https://json-schema.org/draft/2019-09/schema#',
      ...object({ a: { type: 'array', items: [{ type: 'string' }] } }),
    },
    { a: ['x'] },
    { a: [1] },
  ],
  ['dependencies', { ...DRAFT_7, ...object({ a: {}, b: {} }), dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  [
    'an $id',
    {
      ...DRAFT_7,
      $id: 'https://example.com/tool.json',
      ...object({ a: { $ref: '#/definitions/A' } }),
      definitions: { A: { type: 'string' } },
    },
    { a: 'x' },
    { a: 1 },
  ],
];

describe('functionTool with a definition of others', () => {
  it.each(SHAPES)('takes a schema %s', (_, schema, good, bad) => {
    const { inputSchema } = toolOf(schema);

    expect(() => inputSchema.parse(good)).not.toThrow();
    expect(() => inputSchema.parse(bad)).toThrow(expect.objectContaining({ name: 'ValidationError' }));
    expect(JSON.stringify(inputSchema.json)).not.toContain('draft-07');
  });

  it('has its name for a missing or empty description, and nothing for missing parameters', () => {
    const described = [{}, { description: undefined }, { description: '' }].map(
      (more) => toolOf(undefined, more).description,
    );

    expect(described).toEqual(['d', 'tool', 'tool']);
    expect(toolOf(undefined).inputSchema.parse({})).toEqual({});
    expect(() => toolOf(undefined).inputSchema.parse({ a: 1 })).toThrow('Unknown parameter: a');
  });

  it('lets strict through, and nothing that is not of the form', () => {
    expect([true, false, null].map((strict) => toolOf({ type: 'object' }, { strict }).name)).toEqual([
      'tool',
      'tool',
      'tool',
    ]);
    expect(() => toolOf({ type: 'object' }, { strict: 1 })).toThrow('function.strict must be one of true, false, ');
    expect(() => toolOf({ type: 'object' }, { stric: true })).toThrow('did you mean strict?');
  });

  it('names the tool and the place of what it cannot mean', () => {
    expect(() => toolOf(object({ a: { $ref: 'https://example.com/a' } }))).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^Tool tool: parameters: JSON Schema: \/properties\/a\/\$ref .*remote/),
        field: 'parameters',
      }),
    );
  });
});
