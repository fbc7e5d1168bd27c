import { runInNewContext } from 'node:vm';
import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { checkJsonValue } from './json-value.ts';

/** `value` inside `levels` lists. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const circle: { inner: { list: unknown[] } } = { inner: { list: [1] } };
circle.inner.list.push(circle);

describe('checkJsonValue', () => {
  const harmless = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes('"__proto__"'));
  test.prop([harmless])('accepts everything that JSON gives back unchanged', (value) => {
    expect(() => checkJsonValue(JSON.parse(JSON.stringify(value)), 'it')).not.toThrow();
  });

  test.prop([fc.anything({ withNullPrototype: true, withDate: true, withMap: true, withBigInt: true, maxDepth: 3 })])(
    'accepts nothing that JSON would change',
    (value) => {
      let accepted = true;
      try {
        checkJsonValue(value, 'it');
      } catch (error) {
        accepted = false;
        expect(error).toBeInstanceOf(ValidationError);
      }

      // A test's equality takes an undefined property for an absent one and -0 for 0, as the contract does.
      if (accepted) expect(JSON.parse(JSON.stringify(value))).toEqual(withoutMinusZero(value));
    },
  );

  it.each([
    ['undefined', undefined, '', 'undefined'],
    ['a hole in a list', { items: Array(2) }, 'items[0]', 'undefined'],
    ['undefined in a list', [undefined], '[0]', 'undefined'],
    ['a function', { a: { b: () => 1 } }, 'a.b', 'a function'],
    ['a symbol', [Symbol('x')], '[0]', 'a symbol'],
    ['a symbol as a key', { a: { [Symbol('x')]: 1 } }, 'a', 'symbols as keys'],
    ['a bigint', { big: 1n }, 'big', 'a bigint'],
    ['NaN', [[Number.NaN]], '[0][0]', 'NaN'],
    ['Infinity', { most: -Infinity }, 'most', '-Infinity'],
    ['a date', { items: [{ when: new Date(0) }] }, 'items[0].when', 'an instance of Date'],
    ['a map', { seen: new Map() }, 'seen', 'an instance of Map'],
    ['bytes', { bytes: new Uint8Array(2) }, 'bytes', 'an instance of Uint8Array'],
    ['an instance of a class', { one: new (class Counter {})() }, 'one', 'an instance of Counter'],
    ['an error', new Error('x'), '', 'an instance of Error'],
    ['a text that is an object', [Object('x')], '[0]', 'an instance of String'],
    ['a circle', circle, 'inner.list[1]', 'a circle'],
    ['a key __proto__', JSON.parse('{"a": {"__proto__": 1}}'), 'a.__proto__', 'a key that changes'],
    ['65 levels', nested(65), '[0]'.repeat(64), 'more than 64 levels'],
  ])('refuses %s and says where it is', (_, value, path, found) => {
    expect(() => checkJsonValue(value, 'The note x')).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: path, message: expect.stringContaining(found) }),
    );
    expect(() => checkJsonValue(value, 'The note x')).toThrow(
      path === '' ? /^The note x is / : `The note x at ${path}`,
    );
  });

  it.each([
    ['64 levels', nested(64)],
    ['an undefined property, which counts as absent', { a: undefined, b: 1 }],
    ['the same object twice', [circle.inner.list.slice(0, 1), circle.inner.list.slice(0, 1)]],
    ['one object at two places', ((one) => [one, { one }])({ x: 1 })],
    ['an object without a prototype', Object.create(null)],
    ['an object of another realm', runInNewContext('({ a: [1] })')],
    ['a text with any characters', '\u0000\ud800'],
  ])('accepts %s', (_, value) => {
    expect(() => checkJsonValue(value, 'it')).not.toThrow();
  });
});

/** The same, with 0 for -0. */
function withoutMinusZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutMinusZero(one)]));
}
