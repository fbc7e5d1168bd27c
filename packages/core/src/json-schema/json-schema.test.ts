// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ValidationError } from '../errors.ts';
import { jsonSchema } from './json-schema.ts';

const verdicts = (schema: object | boolean, values: readonly unknown[]) =>
  values.map((value) => jsonSchema(schema as Record<string, unknown>).check(value).issues === undefined);
const faultsOf = (schema: object, value: unknown) => jsonSchema(schema as Record<string, unknown>).check(value).issues;
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};
const refusal = (schema: unknown) => thrownBy(() => jsonSchema(schema as Record<string, unknown>)) as ValidationError;

describe('jsonSchema', () => {
  it('tells every fault, with its place and what would have fitted', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b': { type: 'string' }, list: { type: 'array', items: { type: 'integer', minimum: 1 } } },
      required: ['a/b', 'gone'],
      additionalProperties: false,
    };

    expect(faultsOf(schema, { 'a/b': 1, list: [0, 2, 'x'], more: 1 })).toEqual([
      { path: '/a~1b', message: 'Invalid type for parameter a/b: expected string', expected: 'string' },
      { path: '/list/0', message: 'Invalid value for parameter list.0: expected at least 1', expected: 'at least 1' },
      { path: '/list/2', message: 'Invalid type for parameter list.2: expected integer', expected: 'integer' },
      { path: '/gone', message: 'Required parameter missing: gone', expected: 'a value' },
      {
        path: '/more',
        message: 'Unknown parameter: more',
        expected: 'one of the names a/b, list, gone',
      },
    ]);
  });

  it('throws them as one error, whose field is the first', () => {
    const schema = jsonSchema({ type: 'object', properties: { user: { properties: { name: { type: 'string' } } } } });

    expect(thrownBy(() => schema.parse({ user: { name: 1 } }))).toMatchObject({
      name: 'ValidationError',
      field: 'user.name',
      details: [{ path: '/user/name', expected: 'string' }],
    });
  });

  it('tells a hundred faults at most, or as many as one says', () => {
    const schema = { items: { type: 'string' } };
    const numbers = Array.from({ length: 1_000 }, (_, at) => at);

    expect(faultsOf(schema, numbers)).toHaveLength(100);
    expect(jsonSchema(schema, { maxIssues: 3 }).check(numbers).issues).toHaveLength(3);
  });

  it('refuses options that it does not know', () => {
    expect(() => jsonSchema({}, { maxIsues: 1 } as never)).toThrow(/no option maxIsues; known is maxIssues/);
    expect(() => jsonSchema({}, { maxIssues: 0 })).toThrow(ValidationError);
  });

  it('returns a value that lacks no default as it is', () => {
    const value = { a: [1] };

    expect(jsonSchema({ properties: { a: { default: [] } } }).parse(value)).toBe(value);
  });

  it('fills in defaults below properties, items, allOf and references, in a copy', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: {
        own: { type: 'array', default: [1] },
        kids: { type: 'array', items: { $ref: '#' } },
        deep: { properties: { x: { default: 1 } } },
      },
      allOf: [{ properties: { more: { default: 'm' } } }],
      required: ['own'],
    });
    const value = Object.freeze({ kids: Object.freeze([Object.freeze({ own: [] })]), deep: {} });

    const [first, second] = [schema.parse(value), schema.parse(value)] as { own: number[] }[];
    first!.own.push(2);

    expect(second).toEqual({ own: [1], kids: [{ own: [], more: 'm' }], deep: { x: 1 }, more: 'm' });
    expect(value).toEqual({ kids: [{ own: [] }], deep: {} });
  });

  it('leaves defaults of branches alone', () => {
    const branch = { properties: { a: { default: 1 } } };

    expect(jsonSchema({ anyOf: [branch], if: branch, then: branch }).parse({})).toEqual({});
  });

  it('refuses a default that does not fit', () => {
    expect(refusal({ properties: { a: { type: 'string', default: 1 } } })).toMatchObject({
      details: [{ path: '/properties/a/default', message: expect.stringContaining('does not fit') }],
    });
  });

  it('counts characters by code points', () => {
    expect(verdicts({ minLength: 2, maxLength: 2 }, ['\u{1f600}', '\u{1f600}a', 'ab', 'abc', '\ud83d\ud83d'])).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  it('compares by value: numbers, and objects whatever the order of their keys', () => {
    expect(verdicts({ enum: [{ a: 1, b: [2] }, 0] }, [{ b: [2], a: 1 }, -0, { a: 1 }, '0', [0]])).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(
      verdicts({ uniqueItems: true }, [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [1, true, '1', [1], '[1]'],
      ]),
    ).toEqual([false, true]);
  });

  it('follows references, also to parts with an identity of their own', () => {
    const schema = {
      $id: 'https://example.com/root.json',
      type: 'object',
      properties: { a: { $ref: 'item.json' }, b: { $ref: '#named' }, c: { $ref: 'item.json#/$defs/inner' } },
      $defs: {
        item: {
          $id: 'item.json',
          type: 'array',
          items: { $ref: '#/$defs/inner' },
          $defs: { inner: { type: 'integer' } },
        },
        named: { $anchor: 'named', const: 'n' },
      },
    };

    expect(verdicts(schema, [{ a: [1], b: 'n', c: 1 }, { a: ['x'] }, { b: 'm' }, { c: 'x' }])).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('takes a dynamic reference to the outermost resource that has the anchor', () => {
    const tree = {
      $id: 'https://example.com/tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    };
    const strict = {
      $id: 'https://example.com/strict-tree',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    };

    expect(verdicts(strict, [{ children: [{ data: 1 }] }, { children: [{ daat: 1 }] }])).toEqual([true, false]);
    expect(verdicts(tree, [{ children: [{ daat: 1 }] }])).toEqual([true]);
  });

  it.each<[string, object, unknown[], boolean[]]>([
    [
      'what a branch that fits has judged',
      { anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: true } }], unevaluatedProperties: false },
      [{ a: 'x' }, { a: 1 }, { b: 1 }, { c: 1 }],
      [true, false, true, false],
    ],
    [
      'nothing of a condition that does not hold',
      { if: { items: { type: 'boolean' } }, then: { maxItems: 2 }, unevaluatedItems: false },
      [[true], [{}]],
      [true, false],
    ],
    [
      'items that contains fits',
      { contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
      [
        ['a', 1],
        ['a', true],
      ],
      [true, false],
    ],
    [
      'what references and deeper keywords have judged',
      {
        $ref: '#/$defs/a',
        unevaluatedProperties: false,
        $defs: { a: { allOf: [{ patternProperties: { '^x': true } }] } },
      },
      [{ xy: 1 }, { y: 1 }],
      [true, false],
    ],
    [
      'nothing of what not refuses',
      { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
      [{}, { a: 1 }],
      [true, false],
    ],
    [
      'what another has left over, of a schema of its own',
      {
        allOf: [{ unevaluatedProperties: true }],
        unevaluatedProperties: false,
        prefixItems: [true],
        unevaluatedItems: false,
      },
      [{ a: 1 }, [1], [1, 2]],
      [true, true, false],
    ],
  ])('takes for evaluated %s', (_, schema, values, expected) => {
    expect(verdicts(schema, values)).toEqual(expected);
  });

  it.each<[unknown, string, RegExp]>([
    [{ minlength: 1 }, '/minlength', /no keyword.*did you mean minLength/],
    [{ properties: { 'a/b': { foo: 1 } } }, '/properties/a~1b/foo', /no keyword/],
    [{ items: [{}] }, '/items', /prefixItems/],
    [{ additionalItems: false }, '/additionalItems', /items beside prefixItems/],
    [{ format: 'postcode' }, '/format', /unknown format postcode/],
    [{ then: {} }, '/then', /does nothing without if/],
    [{ if: {} }, '/if', /does nothing without then or else/],
    [{ minContains: 1 }, '/minContains', /does nothing without contains/],
    [{ contains: {}, minContains: 0 }, '/minContains', /makes contains do nothing/],
    [{ contains: {}, minContains: 2, maxContains: 1 }, '/maxContains', /below minContains/],
    [{ nullable: true }, '/nullable', /without type/],
    [{ enum: [] }, '/enum', /list of values/],
    [{ type: 'text' }, '/type', /must be one of/],
    [{ required: ['a', 'a'] }, '/required', /without repetition/],
    [{ minLength: -1 }, '/minLength', /whole number/],
    [{ multipleOf: 0 }, '/multipleOf', /above 0/],
    [{ pattern: '(?=a)' }, '/pattern', /look-around/],
    [{ patternProperties: { '(': {} } }, '/patternProperties', /no regular expression/],
    [{ $ref: '#/$defs/a' }, '/$ref', /no schema is/],
    [{ $ref: '#a' }, '/$ref', /anchor a/],
    [{ $ref: 'https://example.com/x' }, '/$ref', /remote references are not loaded/],
    [{ $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, '/$defs/b/$id', /two schemas/],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', /other drafts/],
    [{ allOf: [] }, '/allOf', /list of schemas/],
    [{ properties: { a: 1 } }, '/properties', /object of schemas/],
  ])('refuses %j, and names %s', (schema, pointer, text) => {
    expect(refusal(schema)).toBeInstanceOf(ValidationError);
    expect(refusal(schema)).toMatchObject({ details: [{ path: pointer, message: expect.stringMatching(text) }] });
  });

  it('finds the faults of definitions that nothing uses, and tells all', () => {
    expect(refusal({ $defs: { a: { foo: 1 } }, bar: 1 })).toMatchObject({
      details: [{ path: '/$defs/a/foo' }, { path: '/bar' }],
    });
  });

  it('takes what draft-07 has left where its meaning is the same', () => {
    const schema = { definitions: { a: { type: 'string' } }, properties: { x: { $ref: '#/definitions/a' } } };

    expect(verdicts(schema, [{ x: 'a' }, { x: 1 }])).toEqual([true, false]);
    expect(
      verdicts({ dependencies: { a: ['b'], c: { required: ['d'] } } }, [{ a: 1 }, { a: 1, b: 1 }, { c: 1 }]),
    ).toEqual([false, true, false]);
  });

  it('is not changed by what is done to the schema afterwards', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const compiled = jsonSchema(schema);
    schema.properties.a.type = 'number';

    expect(compiled.check({ a: 'x' }).issues).toBeUndefined();
    expect(compiled.json).toMatchObject({ properties: { a: { type: 'string' } } });
  });

  it('tells the faults of the only branch of the right type', () => {
    const schema = {
      anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }],
    };

    expect(faultsOf(schema, { a: 'x' })).toMatchObject([{ path: '/a', expected: 'number' }]);
    expect(faultsOf(schema, 1)).toMatchObject([{ path: '', expected: 'string or object' }]);
  });

  it('reads what zod writes', () => {
    const { $schema: _, ...json } = z.toJSONSchema(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a'), when: z.iso.datetime() }),
        z.strictObject({ kind: z.literal('b'), tags: z.record(z.string(), z.number()), pair: z.tuple([z.string()]) }),
      ]),
    );

    expect(
      verdicts(json, [
        { kind: 'a', when: '2024-01-01T00:00:00Z' },
        { kind: 'b', tags: { x: 1 }, pair: ['p'] },
        { kind: 'a', when: 'x' },
        { kind: 'b', tags: { x: 'y' }, pair: ['p'] },
      ]),
    ).toEqual([true, true, false, false]);
  });
});
