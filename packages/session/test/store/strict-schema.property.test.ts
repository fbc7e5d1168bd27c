import { fc, test } from '@fast-check/vitest';
import type { JsonSchema } from '@x/core';
import { describe, expect, it } from 'vitest';
import { canBeStrict } from '../../../handlers/src/output-format/can-be-strict.ts';
import { openaiSchema } from '../../../models/src/schema/provider-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

const name = fc.constantFrom('a', 'b', 'kind', '__proto__', 'x/y', 'a~b', '$ref', 'ü', '');
const note = fc.constantFrom<Schema>({}, { description: 'So.' }, { title: 'T' }, { default: 'x' }, { default: null });
const numbers: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  {},
  { minimum: 0 },
  { maximum: 9.5 },
  { exclusiveMinimum: -1, exclusiveMaximum: 1 },
  { multipleOf: 0.1 },
);
const strings: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  {},
  { minLength: 1, maxLength: 9 },
  { pattern: '^[a-z]+$' },
  { pattern: '(?=a)b' },
  { format: 'date-time' },
  { format: 'uri' },
  { format: 'of the future' },
);
const types = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null') },
  { weight: 1, arbitrary: fc.constantFrom('object', 'array', 'text') },
);
const literal: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<unknown>('a', '', 1, 0.5, true, null) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({}, [], ['a'], { a: 1 }) },
);
/** Of everything that `canBeStrict` looks at, the sound and the odd. */
const schema: fc.Arbitrary<Schema> = fc.letrec<{ any: Schema }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.tuple(types, strings, numbers, note).map(([type, text, number, words]) => ({
      type,
      ...(type === 'string' ? text : type === 'number' || type === 'integer' ? number : {}),
      ...words,
    })),
    fc.array(literal, { maxLength: 3 }).map((list) => ({ enum: list })),
    literal.map((value) => ({ const: value })),
    fc.tuple(types, literal).map(([type, value]) => ({ type, const: value })),
    fc.tuple(types, fc.array(literal, { maxLength: 2 })).map(([type, list]) => ({ type, enum: list })),
    fc.tuple(fc.uniqueArray(types, { maxLength: 3 }), strings, numbers).map(([all, text, number]) => {
      return { type: all, ...text, ...number };
    }),
    fc.constantFrom<Schema>(
      { $ref: '#' },
      { $ref: '#/$defs/tree' },
      { $ref: '#/$defs/union' },
      { $ref: '#/$defs/none' },
      { $ref: '#/$defs/tree', description: 'A tree.' },
      { $ref: '#/properties/a' },
    ),
    objectOf(tie('any')),
    objectOf(tie('any')),
    fc.tuple(tie('any'), fc.constantFrom<Schema>({}, { minItems: 1 }, { maxItems: 3 })).map(([items, bounds]) => {
      return { type: 'array', items, ...bounds };
    }),
    fc
      .tuple(fc.constantFrom('anyOf', 'oneOf'), fc.array(tie('any'), { maxLength: 3 }), note)
      .map(([union, choices, words]) => ({ [union]: choices, ...words })),
    fc.tuple(types, tie('any')).map(([type, inner]) => ({ type: [type, 'array'], items: inner })),
  ),
})).any;
const definitions: fc.Arbitrary<Schema> = fc.tuple(schema, schema).map(([tree, union]) => ({ $defs: { tree, union } }));
const root: fc.Arbitrary<JsonSchema> = fc
  .tuple(objectOf(schema), fc.oneof(fc.constant({}), definitions), note)
  .map(([object, more, words]) => ({ ...object, ...more, ...words }));

function objectOf(inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const property = fc.record({ name, inner, note, required: fc.boolean() });
  const closed = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<Schema>({}, { additionalProperties: false }) },
    { weight: 1, arbitrary: fc.constantFrom<Schema>({ additionalProperties: true }, { additionalProperties: {} }) },
  );
  return fc
    .tuple(fc.uniqueArray(property, { selector: (one) => one.name, maxLength: 4 }), closed)
    .map(([all, rest]) => ({
      type: 'object',
      properties: Object.fromEntries(all.map((one) => [one.name, { ...one.inner, ...one.note }])),
      required: all.filter((one) => one.required).map((one) => one.name),
      ...rest,
    }));
}

describe('a schema that is asked for strictly', () => {
  test.prop([root], { numRuns: 1_000 })('can be said to OpenAI', (given) => {
    fc.pre(canBeStrict(given));

    expect(() => openaiSchema(given, true)).not.toThrow();
  });

  it('is drawn from all kinds: some cannot be said, and of those that can some have unions and references', () => {
    const drawn = fc.sample(root, { numRuns: 3_000, seed: 1 });
    const strict = drawn.filter(canBeStrict).map((one) => JSON.stringify(one));

    expect(new Set(drawn.map(outcomeOf))).toEqual(new Set(['said', 'VALIDATION_ERROR']));
    for (const word of ['"anyOf"', '"oneOf"', '"#/$defs/tree"', '"enum"', '"items"']) {
      expect(strict.filter((one) => one.includes(word)).length).toBeGreaterThan(10);
    }
  });
});

function outcomeOf(given: JsonSchema): unknown {
  try {
    return openaiSchema(given, true) && 'said';
  } catch (error) {
    return (error as { code?: unknown }).code; // safe: only read
  }
}
