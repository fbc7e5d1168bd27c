import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { checkedInput, jsonText, toolInput, withoutDeepFields } from './tool-input.ts';

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('toolInput', () => {
  it('keeps text that is no JSON, or may be unfinished, as it is', () => {
    expect([toolInput('', false), toolInput(' ', true), toolInput('{"a":', false)]).toEqual([{}, ' ', '{"a":']);
  });

  it('keeps the text of JSON with more levels than anybody writes', () => {
    const input = `{"a":${lists(499)},"b":"${'['.repeat(600)}\\"]"}`;

    expect(toolInput(input, false)).toEqual(JSON.parse(input));
    expect(toolInput(`[${input}]`, false)).toBe(`[${input}]`);
    expect(toolInput(lists(20_000), false)).toBe(lists(20_000));
  });
});

describe('checkedInput', () => {
  it('is the value, or the text of one with more levels than anybody writes', () => {
    const value = JSON.parse(lists(500)) as unknown;

    expect(checkedInput(value)).toBe(value);
    expect(checkedInput([value])).toBe(lists(501));
    expect(checkedInput({ a: JSON.parse(lists(20_000)) as unknown })).toBe(`{"a":${lists(20_000)}}`);
  });
});

describe('withoutDeepFields', () => {
  it('leaves out what has more levels than anybody writes, and nothing else', () => {
    const fields = { a: 1, b: JSON.parse(lists(499)) as unknown };

    expect(withoutDeepFields(fields)).toBe(fields);
    expect(withoutDeepFields({ ...fields, c: JSON.parse(lists(500)) as unknown })).toEqual(fields);
  });
});

describe('jsonText', () => {
  test.prop([fc.jsonValue()])('is what JSON.stringify writes', (value) => {
    expect(jsonText(value)).toBe(JSON.stringify(value));
  });
});
