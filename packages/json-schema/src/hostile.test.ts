// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema

import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { faultsOf, refusal, verdicts } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

describe('jsonSchema with schemas and inputs of strangers', () => {
  it('knows no property but own ones', () => {
    const names = ['toString', 'constructor', '__proto__', 'valueOf'];
    const required = names.map((name) => ({ required: [name] }));
    const own = JSON.parse('{"toString":1,"constructor":1,"__proto__":1,"valueOf":1}') as unknown;

    expect(required.map((schema) => verdicts(schema, [{}, own]))).toEqual(names.map(() => [false, true]));
    expect(verdicts({ properties: { a: {} }, additionalProperties: false }, [own])).toEqual([false]);
    expect(verdicts(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as object, [own, {}])).toEqual([
      false,
      true,
    ]);
  });

  it('fills in a default named __proto__ without touching the prototype', () => {
    const schema = jsonSchema(
      JSON.parse('{"properties":{"__proto__":{"default":{"x":1}}}}') as Record<string, unknown>,
    );

    const value = schema.parse({}) as Record<string, unknown>;

    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value['x']).toBeUndefined();
  });

  it.each([null, 1, 'x', [], undefined, { a: () => 1 }, { enum: [NaN] }])(
    'refuses %j, which is no schema',
    (schema) => {
      expect(refusal(schema)).toBeInstanceOf(ValidationError);
    },
  );

  it('refuses a schema that is nested too deep, or holds itself', () => {
    const itself: Record<string, unknown> = {};
    itself['not'] = itself;
    const deep = Array.from({ length: 200 }).reduce((inner: object) => ({ not: inner }), {});

    expect(refusal(itself).message).toMatch(/nested more than/);
    expect(refusal(deep).message).toMatch(/nested more than/);
  });

  it.each<[object, string]>([
    [{ $ref: '#' }, '/$ref'],
    [{ $ref: '#/$defs/a', $defs: { a: { allOf: [{}, { $ref: '#' }] } } }, '/$defs/a/allOf/1/$ref'],
    [{ $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { if: { $ref: '#/$defs/a' }, then: {} } } }, '/$defs/b/if/$ref'],
  ])('refuses %j, which leads back to itself with the same value', (schema, pointer) => {
    expect(refusal(schema)).toMatchObject({
      details: [{ path: pointer, message: expect.stringMatching(/without end/) }],
    });
  });

  it('takes references back to itself about a part of the value, and two ways to one definition', () => {
    const twice = { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], items: { $ref: '#' }, $defs: { a: {} } };

    expect(verdicts(twice, [[[[]]]])).toEqual([true]);
  });

  it('tells a hundred faults of a schema at most', () => {
    const keywords = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 1]));

    expect(refusal(keywords).details).toHaveLength(100);
  });

  it('tells a hundred names that nothing has judged, of however many', () => {
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]));
    const rest = { if: { properties: { a: { const: 1 } } }, then: {}, unevaluatedProperties: false };

    expect(faultsOf(rest, names)).toHaveLength(100);
    expect(faultsOf({ propertyNames: { maxLength: 1 } }, names)).toHaveLength(100);
    expect(faultsOf({ prefixItems: [true], unevaluatedItems: false }, Object.values(names))).toHaveLength(100);
  });

  it('asks schemas that depend on a property about objects only', () => {
    expect(verdicts({ dependentSchemas: { length: { items: true } }, unevaluatedItems: false }, [[1], []])).toEqual([
      false,
      true,
    ]);
  });

  it('has an issue for what is no plain data', () => {
    const hidden = Object.defineProperty({}, 'a', { value: 1 });
    let asked = 0;
    const fickle = {
      get a() {
        return asked++ === 0 ? 1 : 'x';
      },
    };

    expect(faultsOf({ required: ['a'] }, hidden)).toHaveLength(1);
    expect(faultsOf({ properties: { a: { type: 'string' } } }, fickle)).toHaveLength(1);
    expect(
      verdicts({ uniqueItems: true }, [
        [[1n], [2n]],
        [[1n], [1n]],
      ]),
    ).toEqual([true, false]);
  });

  it('shows as many values of a long list as can be read', () => {
    const values = Array.from({ length: 10_000 }, (_, at) => `v${at}`);
    const [issue] = faultsOf({ enum: values }, 1) ?? [];

    expect(issue?.expected).toMatch(/^one of "v0", "v1", .* and \d+ more$/);
    expect(issue?.message.length).toBeLessThan(4_000);
  });

  it('answers an input that is nested without end with an issue', () => {
    const list = jsonSchema({ type: 'object', properties: { next: { $ref: '#' } } });
    const deep = Array.from({ length: 100_000 }).reduce((next: object) => ({ next }), {});

    expect(list.check(deep).issues).toEqual([{ path: '', message: expect.stringMatching(/nested more than 512/) }]);
    expect(jsonSchema({ uniqueItems: true }).check([deep, deep]).issues).toHaveLength(1);
  });
});
