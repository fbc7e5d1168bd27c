import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { PartialArgs } from './partial-args.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The pieces that a service would stream for a value at a path, texts in two. */
function piecesOf(path: string, value: Json): readonly object[] {
  if (value === null) return [{ jsonPath: path, nullValue: 'NULL_VALUE' }];
  if (typeof value === 'number') return [{ jsonPath: path, numberValue: value }];
  if (typeof value === 'boolean') return [{ jsonPath: path, boolValue: value }];
  if (typeof value === 'string') {
    const half = value.length >> 1;
    return [
      { jsonPath: path, stringValue: value.slice(0, half), willContinue: true },
      { jsonPath: path, stringValue: value.slice(half) },
    ];
  }
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => piecesOf(`${path}[${index}]`, item));
  return Object.entries(value).flatMap(([name, inner]) => piecesOf(`${path}${stepOf(name)}`, inner));
}
function stepOf(name: string): string {
  return /^[a-z]+$/.test(name) ? `.${name}` : `['${name.replace(/[\\']/g, '\\$&')}']`;
}

const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', "it's", 'a.b', 'a\\b', '0'), fc.string({ minLength: 1 }));
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));

describe('PartialArgs', () => {
  test.prop([fc.dictionary(name, json, { noNullPrototype: true })])('puts every value where its path leads', (args) => {
    const partial = new PartialArgs();

    for (const piece of piecesOf('$', args)) partial.add([piece]);

    expect(JSON.stringify(partial.value({ cut: false }))).toBe(JSON.stringify(args));
  });

  it('touches no prototype', () => {
    const partial = new PartialArgs();

    partial.add([{ jsonPath: '$.__proto__.polluted', boolValue: true }]);

    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each(['', '$', 'a', '$..a', '$[*]', '$.a[', '$[5]', '$.list[7]', '$.list.name', '$.text.inner'])(
    'is text when a value has no place: %j',
    (jsonPath) => {
      const partial = new PartialArgs();

      partial.add([
        { jsonPath: '$.list[0]', numberValue: 1 },
        { jsonPath: '$.text', stringValue: 'x' },
        { jsonPath, stringValue: 'lost' },
      ]);

      expect(partial.value({ cut: false })).toBe('{"list":[1],"text":"x"}');
    },
  );

  it('is text when it was cut, and whole when it came whole', () => {
    const partial = new PartialArgs();

    partial.add([{ jsonPath: '$.a', stringValue: 'x', willContinue: true }, null, 7]);
    const cut = partial.value({ cut: true });
    partial.replace({ a: 'xyz' });

    expect([cut, partial.value({ cut: false })]).toEqual(['{"a":"x"}', { a: 'xyz' }]);
  });
});
