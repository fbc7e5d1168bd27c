import { expect, it } from 'vitest';
import { toResult } from './define-tool.ts';
import { jsonText } from './json-text.ts';

class Refused extends Error {
  override name = 'Refused';
  code = 7;
}

it.each<[string, unknown, string]>([
  ['a map of texts', new Map([['a', 1]]), '{"a":1}'],
  ['a map of other keys', new Map([[1, 'a']]), '[[1,"a"]]'],
  ['an empty map', new Map(), '{}'],
  ['a set in a list', [new Set(['a', 'b'])], '[["a","b"]]'],
  ['a map of sets', new Map([['a', new Set([1])]]), '{"a":[1]}'],
  [
    'an error among fields',
    { failed: new TypeError('No such row') },
    '{"failed":{"name":"TypeError","message":"No such row"}}',
  ],
  ['an error with fields in a list', [new Refused('Not now')], '[{"name":"Refused","message":"Not now","code":7}]'],
  ['an error with fields', new Refused('Not now'), '{"name":"Refused","message":"Not now","code":7}'],
  ['a key that would be a prototype', new Map([['__proto__', 1]]), '{"__proto__":1}'],
  [
    'what JSON has itself',
    { at: new Date(0), none: {}, gone: undefined },
    '{"at":"1970-01-01T00:00:00.000Z","none":{}}',
  ],
])('writes %s with its content', (_, value, json) => {
  expect(jsonText(value)).toBe(json);
  expect(toResult(value as object).output).toBe(json); // what the model gets
});

it('has no text for a function, and refuses what JSON refuses', () => {
  expect(jsonText(() => 1)).toBeUndefined();
  expect(() => jsonText(1n)).toThrow(TypeError);
});
