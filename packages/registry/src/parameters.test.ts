import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { ToolParameter } from './metadata.ts';
import { parametersSchema } from './parameters.ts';
import { parametersOf } from './parameters-of.ts';

const parameter = (more: Partial<ToolParameter> = {}): ToolParameter => ({
  name: 'p',
  type: 'string',
  description: 'd',
  ...more,
});
const parse = (value: unknown, ...parameters: ToolParameter[]) => parametersSchema(parameters).parse(value);
const refusal = (message: string, field: string) =>
  expect.objectContaining({ name: 'ValidationError', message, field });

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('parametersSchema', () => {
  it('R19: a required parameter that is absent or undefined is missing', () => {
    for (const value of [{}, { p: undefined }]) {
      expect(() => parse(value, parameter({ required: true }))).toThrow(refusal('Required parameter missing: p', 'p'));
    }
  });

  it('R19: null counts as present and fails the type check', () => {
    expect(() => parse({ p: null }, parameter({ required: true }))).toThrow(
      refusal('Invalid type for parameter p: expected string', 'p'),
    );
  });

  const samples = ['text', '', '1', 0, 1.5, NaN, Infinity, true, false, null, [], [1], {}, { a: 1 }, () => 1, 5n];
  it.each<[ToolParameter['type'], unknown[]]>([
    ['string', ['text', '', '1']],
    ['number', [0, 1.5]],
    ['boolean', [true, false]],
    ['object', [{}, { a: 1 }]],
    ['array', [[], [1]]],
  ])('R20, R21: %s accepts just its own values, nothing is coerced', (type, fitting) => {
    const outcomes = samples.map((value) => ({
      value,
      error: thrownBy(() => parse({ p: value }, parameter({ type }))),
    }));
    const accepted = outcomes.filter(({ error }) => error === undefined).map(({ value }) => value);
    const refused = outcomes.filter(({ error }) => error !== undefined);

    for (const { error } of refused)
      expect(error).toEqual(refusal(`Invalid type for parameter p: expected ${type}`, 'p'));
    expect(accepted).toEqual(fitting);
  });

  it('R34: a default stands in for an absent value, of a required parameter too', () => {
    expect(parse({}, parameter({ default: 'x', required: true }))).toEqual({ p: 'x' });
    expect(parse({ p: undefined }, parameter({ default: 'x' }))).toEqual({ p: 'x' });
    expect(parse({ p: 'y' }, parameter({ default: 'x' }))).toEqual({ p: 'y' });
    expect(parse({}, parameter({ type: 'boolean', default: false }))).toEqual({ p: false });
  });

  it('R34: object and array defaults are copied for each call', () => {
    const schema = parametersSchema([parameter({ type: 'object', default: { list: [1] } })]);

    const first = schema.parse({})['p'] as { list: number[] };
    first.list.push(2);

    expect(schema.parse({})).toEqual({ p: { list: [1] } });
  });

  it('R35: a value outside enum is refused, naming the parameter and the allowed values', () => {
    expect(() => parse({ p: 'c' }, parameter({ enum: ['a', 'b'] }))).toThrow(
      refusal('Invalid value for parameter p: expected one of "a", "b"', 'p'),
    );
    expect(parse({ p: 'b' }, parameter({ enum: ['a', 'b'] }))).toEqual({ p: 'b' });
  });

  it('R35: enum compares deeply', () => {
    const one = parameter({ type: 'object', enum: [{ a: [1], b: 2 }] });

    expect(parse({ p: { b: 2, a: [1] } }, one)).toEqual({ p: { a: [1], b: 2 } });
    expect(() => parse({ p: { a: [1] } }, one)).toThrow(ValidationError);
    expect(() => parse({ p: { a: [1], b: 2, c: 3 } }, one)).toThrow(ValidationError);
    expect(() => parse({ p: { a: { 0: 1 }, b: 2 } }, one)).toThrow(ValidationError);
  });

  it('R36: a string that does not match the pattern is refused', () => {
    expect(parse({ p: 'ab1' }, parameter({ pattern: '^[a-z]+\\d$' }))).toEqual({ p: 'ab1' });
    expect(() => parse({ p: 'ab' }, parameter({ pattern: '^[a-z]+\\d$' }))).toThrow(
      refusal('Invalid value for parameter p: expected a match of ^[a-z]+\\d$', 'p'),
    );
    expect(() => parse({ p: 'a'.repeat(70_000) }, parameter({ pattern: 'a' }))).toThrow(
      expect.objectContaining({ field: 'p' }),
    );
  });

  it.each(['(', '(?=a)', '(a)\\1'])('R36: the pattern %s is refused when the tool is registered', (pattern) => {
    expect(() => parametersSchema([parameter({ pattern })])).toThrow(
      expect.objectContaining({ name: 'ValidationError', field: 'p' }),
    );
  });

  it('R37: bounds are inclusive', () => {
    const bounded = parameter({ type: 'number', minimum: 1, maximum: 3 });

    expect([1, 3].map((p) => parse({ p }, bounded))).toEqual([{ p: 1 }, { p: 3 }]);
    expect(() => parse({ p: 0.9 }, bounded)).toThrow(
      refusal('Invalid value for parameter p: expected at least 1', 'p'),
    );
    expect(() => parse({ p: 3.1 }, bounded)).toThrow(refusal('Invalid value for parameter p: expected at most 3', 'p'));
  });

  it('R43: an undeclared parameter is refused', () => {
    expect(() => parse({ q: 1 }, parameter())).toThrow(refusal('Unknown parameter: q', 'q'));
    expect(() => parse(JSON.parse('{"__proto__":1}'))).toThrow(refusal('Unknown parameter: __proto__', '__proto__'));
  });

  it('R44: presence is an own-property test', () => {
    expect(() => parse({}, parameter({ name: 'toString', required: true }))).toThrow(
      'Required parameter missing: toString',
    );
    expect(parse({}, parameter({ name: 'valueOf' }))).toEqual({});
  });

  it.each([null, undefined, [], 'x', 1, true])('R45: %j is no object', (value) => {
    expect(() => parse(value, parameter())).toThrow(
      expect.objectContaining({ message: 'Parameters must be an object' }),
    );
  });

  it('R50: a hostile pattern is answered in under 50 ms', () => {
    const schema = parametersSchema([parameter({ pattern: '^(a+)+$' })]);

    // The best of five: a busy machine may pause any one of them.
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      expect(() => schema.parse({ p: `${'a'.repeat(28)}!` })).toThrow(ValidationError);
      return performance.now() - started;
    });

    expect(Math.min(...times)).toBeLessThan(50);
  });

  it.each<Partial<ToolParameter>>([
    { default: 1 },
    { default: null },
    { default: 'c', enum: ['a'] },
    { default: 'b', pattern: '^a' },
    { type: 'number', default: 5, maximum: 4 },
  ])('R61: the default of %j does not fit', (more) => {
    expect(() => parametersSchema([parameter(more)])).toThrow(/has a default that does not fit/);
  });

  it('R66: an absent optional parameter without a default stays absent', () => {
    expect(Object.keys(parse({ p: undefined }, parameter(), parameter({ name: 'q' })))).toEqual([]);
  });

  it('has the first fault as message and field, all in its details', () => {
    expect(() => parse({ b: 1, c: 2 }, parameter({ name: 'a', required: true }), parameter({ name: 'b' }))).toThrow(
      expect.objectContaining({
        message: 'Required parameter missing: a',
        field: 'a',
        details: [
          expect.objectContaining({ path: '/a' }),
          expect.objectContaining({ path: '/b' }),
          expect.objectContaining({ path: '/c' }),
        ],
      }),
    );
  });

  it('says the same as JSON Schema: one with a default may be left out', () => {
    const schema = parametersSchema([
      parameter({ required: true, pattern: '^a' }),
      parameter({ name: 'n', type: 'number', required: true, default: 1, minimum: 0 }),
      parameter({ name: 'o', type: 'object' }),
    ]);

    expect(schema.json).toEqual({
      type: 'object',
      properties: {
        p: { type: 'string', description: 'd', pattern: '^a' },
        n: { type: 'number', description: 'd', default: 1, minimum: 0 },
        o: { type: 'object', description: 'd' },
      },
      required: ['p'],
      additionalProperties: false,
    });
  });

  const type = fc.constantFrom(
    'string' as const,
    'number' as const,
    'boolean' as const,
    'object' as const,
    'array' as const,
  );
  const declared = fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), type, required: fc.boolean() }), {
    selector: (one) => one.name,
  });
  const given = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.constantFrom<unknown>('x', 1, true, {}, [], null, undefined, NaN),
    { noNullPrototype: true },
  );

  test.prop([declared, given], { numRuns: 500 })(
    'accepts a value if and only if every rule holds',
    (parameters, value) => {
      const known = new Set<string>(parameters.map((one) => one.name));
      const fits =
        Object.keys(value).every((name) => known.has(name)) &&
        parameters.every(({ name, type: wanted, required }) =>
          value[name] === undefined ? !required : kindOf(value[name]) === wanted,
        );

      const schema = parametersSchema(parameters.map((one) => ({ ...one, description: '' })));

      if (fits)
        expect(schema.parse(value)).toEqual(
          Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)),
        );
      else expect(() => schema.parse(value)).toThrow(ValidationError);
    },
  );

  test.prop([declared])('and parametersOf reads back what was declared', (parameters) => {
    const full = parameters.map(({ required, ...one }) => ({
      ...one,
      description: 'd',
      ...(required ? { required } : {}),
    }));

    expect(parametersOf(parametersSchema(full).json)).toEqual(full);
  });
});

describe('parametersOf', () => {
  it.each([
    [
      { type: 'integer', minimum: 1 },
      { type: 'number', minimum: 1 },
    ],
    [{ type: ['null', 'string'] }, { type: 'string' }],
    [{ enum: ['a'] }, { type: 'string', enum: ['a'] }],
    [{ const: 5 }, { type: 'number' }],
    [{ anyOf: [{ type: 'null' }, { type: 'array' }] }, { type: 'array' }],
    [
      { $ref: '#/$defs/named', description: 'own' },
      { type: 'boolean', description: 'own' },
    ],
    [{ $ref: '#/$defs/gone' }, { type: 'object' }],
    [{}, { type: 'object' }],
    [true, { type: 'object' }],
  ])('reads %j as %j', (property, expected) => {
    const schema = { properties: { p: property }, $defs: { named: { type: 'boolean', description: 'd' } } };

    expect(parametersOf(schema)).toEqual([{ name: 'p', description: '', ...expected }]);
  });

  it.each([{}, { properties: null }, { type: 'string' }])('finds none in %j', (schema) => {
    expect(parametersOf(schema)).toEqual([]);
  });
});

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null || Number.isNaN(value)) return 'none';
  return typeof value;
}
