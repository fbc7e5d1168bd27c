import { describe, expect, it } from 'vitest';
import { faultsOf, verdicts } from '../test/json-schema-verdicts.ts';

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

  // A list of any kind of thing, which those who refer to it say: core 8.2.3.2, by which ajv does not go.
  const list = {
    $id: 'list',
    type: 'array',
    items: { $dynamicRef: '#item' },
    $defs: { item: { $dynamicAnchor: 'item' } },
  };
  const texts = { $dynamicAnchor: 'item', type: 'string' };
  const root = 'https://example.com/root';

  it.each<[string, object, unknown[], boolean[]]>([
    [
      'its own anchor where no other has the name',
      { $id: root, $ref: 'list', $defs: { list } },
      [['a'], [1]],
      [true, true],
    ],
    ['the anchor of the outermost', { $id: root, $ref: 'list', $defs: { list, texts } }, [['a'], [1]], [true, false]],
    [
      'the anchor of a resource between, when the outermost has none',
      { $id: root, $ref: 'between', $defs: { list, between: { $id: 'between', $ref: 'list', $defs: { texts } } } },
      [['a'], [1]],
      [true, false],
    ],
    [
      'no anchor of a resource that was not entered',
      { $id: root, $ref: 'list', $defs: { list, aside: { $id: 'aside', $defs: { texts } } } },
      [['a'], [1]],
      [true, true],
    ],
    [
      'the anchor that a part of another resource brings with it',
      {
        $id: root,
        $ref: 'between#/$defs/lists',
        $defs: { list, between: { $id: 'between', $defs: { texts, lists: { $ref: 'list' } } } },
      },
      [['a'], [1]],
      [true, false],
    ],
    [
      'the anchor that it names, where no resource entered has it',
      { $id: root, $dynamicRef: 'aside#item', $defs: { aside: { $id: 'aside', $defs: { texts } } } },
      ['a', 1],
      [true, false],
    ],
    [
      'the schema that it names, when that has no such anchor',
      { $id: root, $dynamicRef: 'plain', $defs: { plain: { $id: 'plain', type: 'string' } } },
      ['a', 1],
      [true, false],
    ],
  ])('takes a dynamic reference for %s', (_, schema, values, expected) => {
    expect(verdicts(schema, values)).toEqual(expected);
  });

  it('takes for evaluated what a dynamic reference has judged', () => {
    const thing = {
      $id: 'thing',
      $dynamicRef: '#rest',
      unevaluatedProperties: false,
      $defs: { r: { $dynamicAnchor: 'rest' } },
    };
    const outer = {
      $id: root,
      $ref: 'thing',
      $defs: { thing, r: { $dynamicAnchor: 'rest', properties: { a: true } } },
    };

    expect(verdicts(outer, [{ a: 1 }, { b: 1 }, {}])).toEqual([true, false, true]);
    expect(faultsOf(outer, { a: 1, b: 1 })).toMatchObject([{ path: '/b', expected: 'one of the names a' }]);
    expect(verdicts({ ...thing, $id: root }, [{ a: 1 }, {}])).toEqual([false, true]);
  });

  it('follows references to true and false', () => {
    const $defs = { all: true, none: false };
    const schema = { $defs, properties: { a: { $ref: '#/$defs/all' }, b: { $ref: '#/$defs/none' } } };

    expect(verdicts(schema, [{ a: 1 }, { b: 1 }])).toEqual([true, false]);
  });
});
