import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { argumentsInput, isObjectText } from './tool-arguments.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }).map((value) => JSON.stringify(value));

describe('argumentsInput', () => {
  test.prop([object])('reads an object that is sent once, twice, or after or before an empty one', (json) => {
    const value: unknown = JSON.parse(json);

    expect(argumentsInput(json, false)).toEqual(value);
    expect(argumentsInput(json + json, false)).toEqual(value);
    expect(argumentsInput(`${json} ${JSON.stringify(value, null, 2)}`, false)).toEqual(value);
    expect(argumentsInput(`{}${json}`, false)).toEqual(value);
    expect(argumentsInput(`${json}{}`, false)).toEqual(value);
  });

  test.prop([object, object])('leaves two objects that differ as the text they are', (one, other) => {
    fc.pre(one !== other);

    expect(argumentsInput(`${one}${other}`, false)).toBe(one + other);
  });

  test.prop([object, fc.nat()])('makes no whole input of half a text', (json, at) => {
    const half = json.slice(0, 1 + (at % (json.length - 1)));

    expect(argumentsInput(half, true)).toBe(half);
  });

  it.each(['{', '{{}', '{}}', '{"a', '{"a\\', '}{', '{}{', '{"a":1}x'])('leaves %s as it is', (text) => {
    expect(argumentsInput(text, false)).toBe(text);
  });
});

describe('isObjectText', () => {
  it.each([
    ['{}', true],
    ['{"a":"}"} ', true],
    ['{"a":"}', false],
    ['', false],
    ['7', false],
  ])('says of %s: %s', (text, yes) => {
    expect(isObjectText(text)).toBe(yes);
  });
});
