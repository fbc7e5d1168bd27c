// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { faultsOf, verdicts } from '../test/json-schema-verdicts.ts';

describe('jsonSchema with unevaluatedProperties and unevaluatedItems', () => {
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
    [
      'items that another has left over, of a schema of its own',
      { allOf: [{ prefixItems: [true], unevaluatedItems: { type: 'number' } }], unevaluatedItems: false },
      [['a', 1], ['a', 'b'], []],
      [true, false, true],
    ],
    [
      'all properties where the others have a schema',
      { additionalProperties: { type: 'number' }, unevaluatedProperties: false },
      [{ a: 1 }, { a: 'x' }],
      [true, false],
    ],
    [
      'what a schema that depends on a property has judged, where it is given',
      { dependentSchemas: { a: { properties: { a: true, b: true } } }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }, { b: 1 }, { a: 1, c: 1 }, {}],
      [true, false, false, true],
    ],
    [
      'no property by what is said of items, and no item by what is said of properties',
      {
        items: true,
        contains: true,
        minContains: 1,
        properties: { a: true },
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { b: 1 }, [1]],
      [true, false, true],
    ],
    [
      'what the branch that fits has judged, of values that have no parts too',
      { anyOf: [{ type: 'string' }, { properties: { a: true }, required: ['a'] }], unevaluatedProperties: false },
      ['x', 1, { a: 1 }, { a: 1, b: 1 }, {}],
      [true, true, true, false, false],
    ],
  ])('takes for evaluated %s', (_, schema, values, expected) => {
    expect(verdicts(schema, values)).toEqual(expected);
  });

  it('tells of each name and item that is left over what its schema says', () => {
    const rest = { prefixItems: [true], properties: { a: true } };
    const schema = { ...rest, unevaluatedItems: { type: 'string' }, unevaluatedProperties: { minimum: 2 } };

    expect(faultsOf(schema, [1, 'a', 2])).toMatchObject([{ path: '/2', expected: 'string' }]);
    expect(faultsOf(schema, { a: 1, 'b/c': 1, d: 2 })).toMatchObject([{ path: '/b~1c', expected: 'at least 2' }]);
    expect(faultsOf({ ...rest, unevaluatedProperties: false }, { a: 1, b: 1 })).toMatchObject([
      { path: '/b', message: 'Unknown parameter: b', expected: 'one of the names a' },
    ]);
  });
});
