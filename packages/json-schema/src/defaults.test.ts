// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

describe('jsonSchema with defaults', () => {
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

  it.each<[string, object, unknown, unknown]>([
    [
      'names that a pattern knows, and not those that it does not',
      { patternProperties: { '^x': { properties: { a: { default: 1 } } } } },
      { x: {}, y: {} },
      { x: { a: 1 }, y: {} },
    ],
    [
      'names that nothing else knows',
      {
        properties: { own: {} },
        patternProperties: { '^x': {} },
        additionalProperties: { properties: { a: { default: 1 } } },
      },
      { own: {}, x: {}, other: {} },
      { own: {}, x: {}, other: { a: 1 } },
    ],
    [
      'the first items and the rest, each its own',
      {
        prefixItems: [{ type: 'object' }, { properties: { a: { default: 1 } } }],
        items: { properties: { a: { default: 2 } } },
      },
      [{}, {}, { a: 3 }, {}],
      [{}, { a: 1 }, { a: 3 }, { a: 2 }],
    ],
    [
      'items that have a schema, and no others',
      { prefixItems: [{ properties: { a: { default: 1 } } }] },
      [{}, {}],
      [{ a: 1 }, {}],
    ],
    [
      'what each schema of allOf knows, also beside one that knows none',
      { allOf: [{ properties: { a: { default: 1 } } }, { minProperties: 2 }, { properties: { b: { default: 2 } } }] },
      {},
      { a: 1, b: 2 },
    ],
    [
      'a default that has defaults of its own',
      { properties: { a: { type: 'object', properties: { b: { default: 1 } }, required: ['b'], default: {} } } },
      {},
      { a: { b: 1 } },
    ],
    [
      'a property that is undefined',
      { properties: { a: { type: 'number', default: 1 } }, required: ['a'] },
      { a: undefined },
      { a: 1 },
    ],
  ])('fills in %s', (_, schema, given, expected) => {
    const compiled = jsonSchema(schema as Record<string, unknown>);
    const before = structuredClone(given);

    const filled = compiled.parse(given);

    expect(filled).toEqual(expected);
    expect(given).toEqual(before);
    expect(compiled.parse(filled)).toBe(filled);
  });

  it.each([[{ a: 'x', b: 1 }], [{ a: { length: 1, 0: {} } }], [{ a: [1] }], [{ c: 1 }], ['text'], [[]], [null]])(
    'leaves %j alone, which has no place for a default',
    (value) => {
      const place = { properties: { x: { default: 1 } } };
      const schema = {
        properties: { a: { items: place }, b: { ...place, additionalProperties: place }, c: { $ref: '#/$defs/plain' } },
        $defs: { plain: { type: 'number' } },
      };

      expect(jsonSchema(schema).parse(value)).toBe(value);
    },
  );

  it('follows dynamic references to the defaults of the outermost resource', () => {
    const list = {
      $id: 'list',
      type: 'array',
      items: { $dynamicRef: '#item' },
      $defs: { item: { $dynamicAnchor: 'item', type: 'object' } },
    };
    const withDefault = { $dynamicAnchor: 'item', properties: { a: { default: 1 } } };
    const outer = { $id: 'https://example.com/', $ref: 'list', $defs: { list, item: withDefault } };
    const unnamed = {
      $id: 'https://example.com/',
      $ref: 'list',
      $defs: { list, other: { properties: { a: { default: 1 } } } },
    };

    expect(jsonSchema(outer).parse([{}, { a: 2 }])).toEqual([{ a: 1 }, { a: 2 }]);
    expect(jsonSchema(unnamed).parse([{}])).toEqual([{}]);
  });
});
