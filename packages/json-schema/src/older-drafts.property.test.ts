import { fc, test } from '@fast-check/vitest';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect } from 'vitest';
import { jsonSchema } from './json-schema.ts';

type Schema = boolean | Record<string, unknown>;
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const OPTIONS = {
  strict: false,
  validateSchema: false,
  addUsedSchema: false,
  ownProperties: true,
  logger: false,
} as const;

/** Schemas of the words that the drafts spell otherwise, with references into every place that moves. */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Schema>(true, false, { type: 'string' }, { type: 'integer', exclusiveMinimum: 1 }, { const: null }),
    fc.constantFrom<Schema>(
      { $ref: '#/definitions/a' },
      { $ref: '#/definitions/tuple/items/0' },
      { $ref: '#/definitions/tuple/additionalItems' },
    ),
    fc.record(
      { items: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), additionalItems: tie('schema') },
      { requiredKeys: ['items'] },
    ),
    fc.record({ items: tie('schema') }),
    fc.record({
      properties: fc.dictionary(fc.constantFrom('a', 'items', 'id'), tie('schema'), { noNullPrototype: true }),
    }),
    fc.record({
      dependencies: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(tie('schema'), fc.constant(['b'])), {
        noNullPrototype: true,
      }),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('schema') }),
  ),
}));
const definitions = {
  a: { type: ['integer', 'null'] },
  tuple: { items: [{ type: 'string' }, true], additionalItems: { type: 'boolean' } },
};
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom<unknown>('x', 0, 1, 2, null, true),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'items', 'id'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

describe('an older draft', () => {
  test.prop([schema, fc.array(value, { minLength: 5, maxLength: 5 }), fc.constantFrom(DRAFT_7, DRAFT_2019)], {
    numRuns: 500,
  })('is judged as by ajv for that draft', (inner, values, $schema) => {
    const whole = { $schema, definitions, allOf: [inner] };
    const oracle = ($schema === DRAFT_7 ? new Ajv(OPTIONS) : new Ajv2019(OPTIONS)).compile(whole);
    const ours = jsonSchema(whole, { foreign: true });

    expect(values.map((one) => ours.check(one).issues === undefined)).toEqual(values.map((one) => oracle(one)));
  });
});
