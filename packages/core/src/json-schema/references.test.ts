import { describe, expect, it } from 'vitest';
import { verdicts } from '../../test/json-schema-verdicts.ts';

describe('jsonSchema with references', () => {
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
});
