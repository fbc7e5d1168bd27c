import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { verdicts } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

const items = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('jsonSchema, keyword by keyword', () => {
  it.each<[object, unknown[], unknown[]]>([
    [{ contains: { type: 'number' }, minContains: 1, maxContains: 2 }, [[1], [1, 'a', 2]], [[], [1, 2, 3]]],
    [{ contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1, 2]]],
    [
      { allOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }], unevaluatedItems: false },
      [[1, 2]],
      [[1, 2, 3]],
    ],
    [
      { allOf: [{ prefixItems: [true, true] }, { prefixItems: [true] }], unevaluatedItems: false },
      [[1, 2]],
      [[1, 2, 3]],
    ],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, [1], [0, 2]],
    [{ dependentRequired: { a: ['b', 'c'] } }, [{ a: 1, b: 1, c: 1 }], [{ a: 1, b: 1 }, { a: 1 }]],
    [{ exclusiveMaximum: 3 }, [2], [3, 4]],
    [{ exclusiveMinimum: 3 }, [4], [3, 2]],
    [{ const: { a: 1 } }, [{ a: 1 }], [{ b: 1 }, { a: 1, b: 2 }, {}]],
    [{ multipleOf: 1 }, [1e20, 1e21], [0.5]],
    [{ $ref: '#/$defs/~01', $defs: { '~1': { type: 'string' } } }, ['a'], [1]],
    [{ items: { $ref: '#/$defs/a' }, $defs: { a: { type: 'number' } } }, [items(1_000)], [['a']]],
    [{ properties: { a: { type: 'string' } }, patternProperties: { x: {} } }, [{ a: undefined }], [{ a: 1 }]],
    [{ properties: { a: { type: 'string' } } }, [Object.create({ a: 1 }), { b: 1, a: 'x' }], [{ b: 1, a: 1 }]],
  ])('takes and refuses by %j', (schema, good, bad) => {
    expect(verdicts(schema, good)).toEqual(good.map(() => true));
    expect(verdicts(schema, bad)).toEqual(bad.map(() => false));
  });

  it('gives up where references multiply', () => {
    const steps = items(30).map((at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, { anyOf: [next, next] }];
    });
    const bomb = { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(steps), d30: { type: 'string' } } };

    expect(jsonSchema(bomb).check(1).issues).toMatchObject([
      { message: expect.stringMatching(/too long to validate/) },
    ]);
  });

  it('refuses a schema of more than 100,000 values', () => {
    expect(() => jsonSchema({ enum: items(100_001) })).toThrow(ValidationError);
  });
});
