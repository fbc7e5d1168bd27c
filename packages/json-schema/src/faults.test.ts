// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema

import { ValidationError } from '@x/errors';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

type Fault = readonly [path: string, expected: string];
type Case = readonly [schema: object, value: unknown, ...faults: readonly Fault[]];

const ajv = new Ajv2020.default({ strictSchema: false, validateSchema: false, ownProperties: true, logger: false });
addFormats.default(ajv);

/** Where each fault is and what would have fitted; none for a value that fits. */
const told = (schema: object, value: unknown): Fault[] =>
  (faultsOf(schema, value) ?? []).map(({ path, expected }) => [path, expected ?? '']);

const texts: readonly Case[] = [
  [{ minLength: 1 }, '', ['', 'at least 1 character']],
  [{ maxLength: 2 }, 'abc', ['', 'at most 2 characters']],
  [{ minLength: 2, pattern: '^b' }, 'a', ['', 'at least 2 characters'], ['', 'a match of ^b']],
  [{ minLength: 2, pattern: '^a' }, 'a', ['', 'at least 2 characters']],
  [{ maxLength: 1, format: 'ipv4' }, '1.2.3.4', ['', 'at most 1 character']],
  [{ format: 'ipv4' }, '1.2.3', ['', 'a value of the format ipv4']],
  [
    { type: 'string', minLength: 1, pattern: 'b', format: 'ipv4', enum: ['a'] },
    'b',
    ['', 'a value of the format ipv4'],
    ['', '"a"'],
  ],
  [{ type: 'string', minLength: 1, pattern: '1', format: 'ipv4', enum: ['1.2.3.4'] }, '1.2.3.4'],
  [{ properties: { a: { pattern: '^x' }, b: { pattern: '^x' } } }, { a: 'x', b: 'y' }, ['/b', 'a match of ^x']],
  [{ minLength: 5 }, 1],
];

const numbers: readonly Case[] = [
  [{ minimum: 2, maximum: 1 }, 1.5, ['', 'at least 2'], ['', 'at most 1']],
  [{ minimum: 1, maximum: 3, exclusiveMinimum: 1, exclusiveMaximum: 3 }, 1, ['', 'more than 1']],
  [{ minimum: 1, maximum: 3, exclusiveMinimum: 1, exclusiveMaximum: 3 }, 3, ['', 'less than 3']],
  [{ minimum: 1, maximum: 3, exclusiveMinimum: 1, exclusiveMaximum: 3 }, 4, ['', 'at most 3'], ['', 'less than 3']],
  [{ minimum: 1, maximum: 3, exclusiveMinimum: 1, exclusiveMaximum: 3 }, 2],
  [{ multipleOf: 2, maximum: 3 }, 4, ['', 'at most 3']],
  [{ multipleOf: 2, maximum: 3 }, 3, ['', 'a multiple of 2']],
  [{ maximum: 1, format: 'int32' }, 1.5, ['', 'at most 1'], ['', 'a value of the format int32']],
  [{ format: 'float', minimum: 1 }, 0.5, ['', 'at least 1']],
  [{ type: 'number', minimum: 2 }, 1, ['', 'at least 2']],
  [{ type: 'number', minimum: 2 }, '3', ['', 'number']],
  [{ type: 'number', minimum: 2 }, 2.5],
  [{ minimum: 5 }, '1'],
];

const values: readonly Case[] = [
  [{ type: 'null' }, 0, ['', 'null']],
  [{ type: 'null', enum: [null, 1] }, null],
  [{ type: 'null', enum: [null, 1] }, 1, ['', 'null']],
  [{ type: 'null', enum: [1] }, null, ['', '1']],
  [{ type: 'boolean', const: true }, false, ['', 'true']],
  [{ type: 'boolean', const: true }, true],
  [{ type: 'boolean', const: true }, 1, ['', 'boolean']],
  [{ const: 1, minimum: 5 }, true, ['', '1']],
  [{ enum: [1, 2], minimum: 2 }, 1, ['', 'at least 2']],
  [{ type: ['string', 'null'] }, 1, ['', 'string or null']],
  [{ type: ['string', 'null'] }, null],
  [{ type: ['string', 'null'], enum: ['a', null, 1] }, 1, ['', 'string or null']],
  [{ type: ['string', 'null'], enum: ['a', null, 1] }, 'b', ['', 'one of "a", null, 1']],
  [{ type: ['string', 'integer'], minLength: 2, minimum: 2 }, 2.5, ['', 'string or integer']],
  [{ type: ['string', 'integer'], minLength: 2, minimum: 2 }, 1, ['', 'at least 2']],
  [{ type: ['string', 'integer'], minLength: 2, minimum: 2 }, 'a', ['', 'at least 2 characters']],
  [{ type: ['string', 'integer'], minLength: 2, minimum: 2 }, 'ab'],
  [{ type: 'string', nullable: true }, null],
  [{ type: 'string', nullable: true }, 1, ['', 'string or null']],
  [{ type: ['null', 'string'], nullable: true }, 1, ['', 'null or string']],
];

const lists: readonly Case[] = [
  [{ minItems: 1 }, [], ['', 'at least 1 item']],
  [{ minItems: 1, maxItems: 2 }, [1, 2, 3], ['', 'at most 2 items']],
  [{ minItems: 1, maxItems: 2 }, [1, 2]],
  [{ minItems: 1 }, {}],
  [{ minItems: 2, maxItems: 2, uniqueItems: true }, [1, 1], ['', 'no item twice']],
  [{ uniqueItems: true, minItems: 3 }, [1, 2], ['', 'at least 3 items']],
  [{ uniqueItems: true }, [1, { a: [] }, { a: [] }], ['', 'no item twice']],
  [
    { prefixItems: [{ type: 'string' }, true], items: { type: 'number' } },
    [1, 1, 'x'],
    ['/0', 'string'],
    ['/2', 'number'],
  ],
  [{ prefixItems: [{ type: 'string' }] }, ['a', 1]],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], ['/1', 'no value']],
  [{ contains: { const: 1 } }, [2], ['', 'at least 1 item that contains allows']],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 2 }, [1, 1, 1], ['', 'at most 2 items that contains allows']],
  [{ contains: { const: 1 }, minContains: 0, maxContains: 1 }, []],
];

const objects: readonly Case[] = [
  [{ minProperties: 1 }, {}, ['', 'at least 1 property']],
  [{ minProperties: 1, maxProperties: 2 }, { a: 1, b: 1, c: 1 }, ['', 'at most 2 properties']],
  [
    { minProperties: 1, maxProperties: 2 },
    { a: 1, b: 1 },
  ],
  [{ maxProperties: 0 }, [1]],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1, c: 1 }, ['', 'no property "ab"']],
  [
    { patternProperties: { '^x': { type: 'string' } }, required: ['y'] },
    { x1: 1 },
    ['/y', 'a value'],
    ['/x1', 'string'],
  ],
  [
    { patternProperties: { '^x': { type: 'string' } }, required: ['y'] },
    { x1: 'a', y: 1 },
  ],
  [
    {
      properties: { a: {} },
      patternProperties: { '^x': {}, y$: { type: 'number' } },
      additionalProperties: { type: 'string' },
    },
    { a: 1, x: 1, xy: 'a', b: 1, c: 'c' },
    ['/xy', 'number'],
    ['/b', 'string'],
  ],
  [{ patternProperties: { '^x': { type: 'string' } } }, { x1: 1 }, ['/x1', 'string']],
  [{ patternProperties: { '^x': {} }, required: ['toString'] }, {}, ['/toString', 'a value']],
  [
    { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
    { a: 1, x: 1 },
  ],
  [{ patternProperties: { '^x': {} }, additionalProperties: false }, { x: 1, 'a/b': 1 }, ['/a~1b', 'no parameters']],
  [{ dependentRequired: { a: ['b', 'c'] } }, { a: 1, b: 1 }, ['/c', 'a value, as a is given']],
  [{ dependentRequired: { a: ['b'] }, minProperties: 2 }, { b: 1 }, ['', 'at least 2 properties']],
  [{ dependentSchemas: { a: { properties: { b: { type: 'string' } } } } }, { a: 1, b: 1 }, ['/b', 'string']],
  [{ dependentSchemas: { a: false } }, { b: 1 }],
];

const combinations: readonly Case[] = [
  [{ not: { type: 'string' } }, 'a', ['', 'a value that the schema in not refuses']],
  [{ not: { type: 'string' }, minimum: 1 }, 0, ['', 'at least 1']],
  [{ oneOf: [true, true] }, 1, ['', 'a value that fits just one of the schemas in oneOf']],
  [{ oneOf: [{ type: 'string' }, {}] }, 1],
  [{ anyOf: [{ minimum: 1 }, { const: 'a' }] }, 0, ['', 'a value that fits one of 2 schemas']],
  [{ if: { type: 'string' }, then: { minLength: 2 } }, 'a', ['', 'at least 2 characters']],
  [{ if: { type: 'string' }, then: { minLength: 2 } }, 1],
  [{ if: { type: 'string' }, else: { minimum: 2 } }, 1, ['', 'at least 2']],
  [{ if: { type: 'string' }, else: { minimum: 2 } }, 'a'],
  [{ if: { type: 'string' }, then: { minLength: 2 }, minimum: 5 }, 1, ['', 'at least 5']],
  [{ $ref: '#/$defs/no', $defs: { no: false } }, 1, ['', 'no value']],
  [{ $ref: '#/$defs/any', $defs: { any: true } }, 1],
  [{ allOf: [{ minimum: 2 }, { multipleOf: 2 }] }, 1, ['', 'at least 2'], ['', 'a multiple of 2']],
];

const cases = [...texts, ...numbers, ...values, ...lists, ...objects, ...combinations];

describe('jsonSchema, in what it tells of each keyword', () => {
  it.each(cases.map(([schema, value, ...faults]) => [schema, value, faults] as const))(
    'tells by %j what is wrong with %j: %j; ajv says so too of anything or nothing',
    (schema, value, faults) => {
      expect(told(schema, value)).toEqual(faults);
      expect(ajv.compile(schema)(value)).toBe(faults.length === 0);
    },
  );

  it('takes a property or a keyword that is undefined for absent', () => {
    const schema = { properties: { a: { type: 'string' }, b: undefined }, minProperties: undefined };

    expect(told(schema, { a: undefined, b: 1 })).toEqual([]);
    expect(told({ ...schema, required: ['a'] }, { a: undefined })).toEqual([['/a', 'string']]);
    expect(told({ patternProperties: { x: true }, required: ['a'] }, { a: undefined })).toEqual([['/a', 'a value']]);
    expect(told({ dependentRequired: { a: ['b'] } }, { a: undefined })).toEqual([]);
  });

  it('tells as many faults as one says, of whatever keywords', () => {
    const schema = {
      minProperties: 3,
      required: ['a'],
      patternProperties: { x: { type: 'string' } },
      anyOf: [{ properties: { x: { properties: { y: { const: 1 }, z: { const: 1 } } } } }],
    };
    const value = { x: { y: 2, z: 2 } };
    const tell = (maxIssues: number) =>
      jsonSchema(schema, { maxIssues })
        .check(value)
        .issues?.map(({ path }) => path);

    expect([1, 2, 3, 4].map(tell)).toEqual([['/a'], ['/a', '/x'], ['/a', '/x', ''], ['/a', '/x', '', '/x/y']]);
  });

  it('says why a text that is too long for patterns has no answer', () => {
    const long = 'a'.repeat(65_537);
    const reason = /\(The text has 65537 characters; patterns are matched up to 65536\)$/;

    expect(faultsOf({ pattern: '^a+$' }, long)).toMatchObject([
      { path: '', expected: 'a match of ^a+$', message: expect.stringMatching(reason) },
    ]);
    expect(faultsOf({ patternProperties: { '^a+$': true } }, { [long]: 1 })).toMatchObject([
      { path: `/${'a'.repeat(1_000)}...`, expected: 'a shorter name', message: expect.stringMatching(reason) },
    ]);
  });

  it('answers for a value that cannot be read', () => {
    const schema = jsonSchema({ properties: { a: { type: 'string' } } });
    const withGetter = {
      get a(): unknown {
        throw new TypeError('the getter failed');
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    expect(schema.check(withGetter).issues).toEqual([
      { path: '', message: 'The input must be plain data; reading it failed: the getter failed' },
    ]);
    expect(schema.check(proxy).issues).toMatchObject([{ path: '', message: expect.stringMatching(/plain data/) }]);
    expect(() => schema.parse(withGetter)).toThrow(ValidationError);
  });
});

describe('jsonSchema of true and false', () => {
  it('takes everything or nothing, and tells itself as an object', () => {
    const [all, none] = [jsonSchema(true), jsonSchema(false)];

    expect([all.json, none.json]).toEqual([{}, { not: {} }]);
    expect(all.parse(1)).toBe(1);
    expect(none.check(1).issues).toEqual([
      { path: '', message: 'Invalid value: expected no value', expected: 'no value' },
    ]);
    expect([all.closed(), none.closed()]).toEqual([all, none]);
  });
});
