// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { verdicts } from '../../test/json-schema-verdicts.ts';

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
  ])('takes for evaluated %s', (_, schema, values, expected) => {
    expect(verdicts(schema, values)).toEqual(expected);
  });
});
