// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

const DRAFTS = {
  4: 'http://json-schema.org/draft-04/schema#',
  6: 'http://json-schema.org/draft-06/schema#',
  7: 'http://json-schema.org/draft-07/schema#',
  2019: 'https://json-schema.org/draft/2019-09/schema',
} as const;
type Draft = keyof typeof DRAFTS;

const tuple = { items: [{ type: 'integer' }, { type: 'string' }] };
const tree = {
  $id: 'http://example.com/tree',
  $recursiveAnchor: true,
  type: 'object',
  properties: { data: true, nodes: { type: 'array', items: { $recursiveRef: '#' } } },
};

/** A schema, and what its draft takes and refuses. */
const CASES: readonly [Draft, object, good: readonly unknown[], bad: readonly unknown[]][] = [
  [4, { minimum: 1, exclusiveMinimum: true }, [1.1, 'x'], [1, 0]],
  [4, { minimum: 1, exclusiveMinimum: false }, [1], [0.9]],
  [4, { maximum: 3, exclusiveMaximum: true }, [2.9], [3]],
  [
    4,
    {
      id: 'http://example.com/a.json',
      definitions: { b: { id: 'b.json', type: 'string' } },
      properties: { x: { $ref: 'b.json' } },
    },
    [{ x: 'a' }],
    [{ x: 1 }],
  ],
  [
    4,
    { definitions: { b: { id: '#b', type: 'string' } }, properties: { x: { $ref: '#b' } } },
    [{ x: 'a' }],
    [{ x: 1 }],
  ],
  [4, { properties: { id: { type: 'string' } } }, [{ id: 'a' }], [{ id: 1 }]],
  [6, { exclusiveMinimum: 1, const: 2 }, [2], [1, 3]],
  [
    6,
    { definitions: { b: { $id: '#b', type: 'string' } }, properties: { x: { $ref: '#b' } } },
    [{ x: 'a' }],
    [{ x: 1 }],
  ],
  [7, tuple, [[1], [1, 'a', null], []], [['a'], [1, 1]]],
  [7, { ...tuple, additionalItems: false }, [[1, 'a']], [[1, 'a', null]]],
  [7, { ...tuple, additionalItems: { type: 'boolean' } }, [[1, 'a', true]], [[1, 'a', 'b']]],
  [7, { items: [], additionalItems: { type: 'boolean' } }, [[], [true]], [[1]]],
  [7, { items: { type: 'integer' } }, [[1, 2]], [['a']]],
  [7, { items: true }, [[1]], []],
  [
    7,
    { dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{ a: 1, b: 1 }, { c: 1, d: 1 }, {}],
    [{ a: 1 }, { c: 1 }],
  ],
  [7, { if: { const: 1 }, then: false, definitions: { unused: { type: 'string' } } }, [2], [1]],
  [7, { $ref: '#/definitions/a', definitions: { a: { type: 'string' } }, description: 'said twice' }, ['x'], [1]],
  [
    7,
    {
      definitions: {
        a: {
          $id: 'http://example.com/a',
          definitions: { a: { type: 'string' } },
          properties: { x: { $ref: '#/definitions/a' } },
        },
      },
      $ref: '#/definitions/a',
    },
    [{ x: 'a' }],
    [{ x: 1 }],
  ],
  [4, { id: 'http://example.com/a', $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, ['x'], [1]],
  [
    7,
    {
      properties: { x: { $id: 'http://example.com/x', $ref: '#/definitions/a' } },
      definitions: { a: { type: 'string' } },
    },
    [{ x: 'a' }],
    [{ x: 1 }],
  ],
  [7, { items: [{ type: 'integer' }, { $ref: '#/items/0' }] }, [[1, 2]], [[1, 'a']]],
  [7, { properties: { a: tuple, b: { $ref: '#/properties/a/items/1' } } }, [{ b: 'x' }], [{ b: 1 }]],
  [
    7,
    {
      properties: { a: { ...tuple, additionalItems: { type: 'null' } }, b: { $ref: '#/properties/a/additionalItems' } },
    },
    [{ b: null }],
    [{ b: 1 }],
  ],
  [7, { properties: { items: { type: 'string' }, b: { $ref: '#/properties/items' } } }, [{ b: 'x' }], [{ b: 1 }]],
  [7, { definitions: { a: { $id: '#here', type: 'string' } }, items: { $ref: '#here' } }, [['x']], [[1]]],
  [2019, tuple, [[1, 'a', null]], [['a']]],
  [2019, { $ref: '#/$defs/a', minLength: 2, $defs: { a: { type: 'string' } } }, ['ab'], ['a', 1]],
  [2019, { $defs: { a: { $anchor: 'here', type: 'string' } }, items: { $ref: '#here' } }, [['x']], [[1]]],
  [
    2019,
    { properties: { a: true }, unevaluatedProperties: false, dependentRequired: { a: ['b'] } },
    [{}],
    [{ b: 1 }, { a: 1 }],
  ],
  [2019, tree, [{ nodes: [{ data: 1 }] }], [{ nodes: [1] }]],
  [
    2019,
    { properties: { child: { $recursiveRef: '#' } }, additionalProperties: false },
    [{ child: {} }],
    [{ child: { x: 1 } }],
  ],
  [
    2019,
    {
      $id: 'http://example.com/strict',
      $recursiveAnchor: true,
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    },
    [{ nodes: [{ data: 1 }] }],
    [{ nodes: [{ dta: 1 }] }],
  ],
  [
    2019,
    {
      $id: 'http://example.com/open',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree: { ...tree, $recursiveAnchor: false } },
    },
    [{ nodes: [{ dta: 1 }] }],
    [{ dta: 1 }],
  ],
];

const verdictsOf = (schema: object, values: readonly unknown[], foreign: boolean) =>
  values.map((value) => jsonSchema({ ...schema }, { foreign }).check(value).issues === undefined);

describe('jsonSchema of an older draft', () => {
  it.each(CASES)('judges by draft %s: %j', (draft, schema, good, bad) => {
    const named = { $schema: DRAFTS[draft], ...schema };

    for (const foreign of [false, true]) {
      expect(verdictsOf(named, good, foreign)).toEqual(good.map(() => true));
      expect(verdictsOf(named, bad, foreign)).toEqual(bad.map(() => false));
    }
  });

  it.each(Object.values(DRAFTS))('is known by %s, with http or https, with # or without', (uri) => {
    const plain = uri.replace('#', '');
    const spellings = [plain, `${plain}#`, plain.replace(/^https?/, 'http'), plain.replace(/^https?/, 'https')];

    for (const $schema of spellings) expect(refusal({ $schema, items: [true] })).toBeUndefined();
    expect(refusal({ items: [true] })).toMatchObject({ field: 'items' });
  });

  it('shows itself in the words of 2020-12', () => {
    const given = { $schema: DRAFTS[7], ...tuple, additionalItems: false, definitions: { a: { $id: '#a' } } };

    expect(jsonSchema(given).json).toEqual({
      prefixItems: tuple.items,
      items: false,
      definitions: { a: { $anchor: 'a' } },
    });
    expect(given).toHaveProperty('additionalItems', false);
  });

  it('names the place of a fault as the schema has it', () => {
    const odd = {
      $schema: DRAFTS[7],
      items: [{ minlength: 1 }],
      additionalItems: { properties: { a: { type: 'x' } } },
    };

    expect(refusal(odd)).toMatchObject({
      details: [{ path: '/items/0/minlength' }, { path: '/additionalItems/properties/a/type' }],
    });
  });

  it('refuses what its draft ignores next to a $ref; in a schema of others it is hidden and noted', () => {
    const schema = { $schema: DRAFTS[7], items: { $ref: '#/definitions/a', maxLength: 1 }, definitions: { a: {} } };

    expect(refusal(schema)).toMatchObject({ details: [{ path: '/items/maxLength' }] });
    expect(verdictsOf(schema, [['long']], true)).toEqual([true]);
    expect(jsonSchema(schema, { foreign: true }).notes).toMatchObject([
      { path: '/items/maxLength', message: expect.stringMatching(/does nothing next to \$ref/) },
    ]);
    expect(verdictsOf({ ...schema, $schema: DRAFTS[2019] }, [['long']], false)).toEqual([false]);
  });

  it('refuses a reference or an identity that is no text', () => {
    expect(refusal({ $schema: DRAFTS[7], properties: { a: { $ref: 7 } } })).toMatchObject({
      field: 'properties.a.$ref',
    });
    expect(refusal({ $schema: DRAFTS[4], properties: { a: { id: 7 } } })).toMatchObject({
      field: expect.stringContaining('properties.a'),
    });
  });

  it('refuses what no draft gives a meaning', () => {
    expect(refusal({ $schema: DRAFTS[7], items: {}, additionalItems: false })).toMatchObject({
      details: [{ path: '/additionalItems' }],
    });
    expect(refusal({ $schema: DRAFTS[4], exclusiveMinimum: true })).toMatchObject({
      details: [{ path: '/exclusiveMinimum', message: expect.stringMatching(/does nothing without minimum/) }],
    });
    expect(refusal({ minimum: 1, exclusiveMinimum: true })).toMatchObject({ details: [{ path: '/exclusiveMinimum' }] });
  });

  it('is read anew below an $id of another draft', () => {
    const schema = {
      $schema: DRAFTS[7],
      items: [
        {
          $id: 'http://example.com/new',
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          prefixItems: [{ type: 'string' }],
        },
      ],
    };

    expect(verdictsOf(schema, [[['a']], [[1]]], false)).toEqual([true, false]);
  });
});
