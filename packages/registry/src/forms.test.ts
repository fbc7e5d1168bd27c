import { fc, test } from '@fast-check/vitest';
import type { Schema, ValidationError } from '@x/core';
import { toToolSchema } from '@x/core/internal';
import { jsonSchema } from '@x/json-schema';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import type { ToolParameter } from './metadata.ts';
import { parametersSchema } from './parameters.ts';

type Declared = Omit<ToolParameter, 'description'>;

const verdictOf = (schema: Schema, value: unknown): unknown => {
  try {
    return { value: schema.parse(value) };
  } catch (error) {
    return { places: (error as ValidationError).details };
  }
};

const zodOf: Record<ToolParameter['type'], z.ZodType> = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  object: z.record(z.string(), z.unknown()),
  array: z.array(z.unknown()),
};

/** The same, written with zod. */
function zodForm(parameters: readonly Declared[]): z.ZodType {
  const shape = parameters.map(
    ({ name, type, required, pattern, minimum, maximum, enum: values, default: fallback }) => {
      let one: z.ZodType = zodOf[type];
      if (pattern !== undefined) one = z.string().regex(new RegExp(pattern, 'u'));
      if (minimum !== undefined && maximum !== undefined) one = z.number().min(minimum).max(maximum);
      if (values !== undefined) one = z.literal(values as string[]);
      if (fallback !== undefined) return [name, one.default(fallback as never)] as const;
      return [name, required ? one : one.optional()] as const;
    },
  );
  return z.object(Object.fromEntries(shape));
}

const declared: fc.Arbitrary<Declared> = fc
  .tuple(
    fc.constantFrom('a', 'b', 'toString', 'x/y'),
    fc.constantFrom<Omit<Declared, 'name'>>(
      { type: 'string' },
      { type: 'string', pattern: '^a+$' },
      { type: 'string', enum: ['aa', 'b'] },
      { type: 'string', default: 'aa' },
      { type: 'number' },
      { type: 'number', minimum: 0, maximum: 2 },
      { type: 'number', default: 0 },
      { type: 'boolean' },
      { type: 'object' },
      { type: 'array' },
    ),
    fc.boolean(),
  )
  .map(([name, rest, required]) => ({ name, ...rest, ...(required ? { required } : {}) }));
const parameters = fc.uniqueArray(declared, { selector: ({ name }) => name, maxLength: 4 });
const input = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.dictionary(
      fc.constantFrom('a', 'b', 'toString', 'x/y', 'other'),
      fc.constantFrom<unknown>('aa', 'b', '', 0, 1.5, 3, true, {}, { x: 1 }, [], [1], null, NaN, Infinity),
      { noNullPrototype: true },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], 'x', 1) },
);

describe('the three ways to declare parameters', () => {
  test.prop([parameters, input], { numRuns: 1_000 })(
    'judge every input alike, with the same defaults',
    (some, value) => {
      const full = some.map((one) => ({ ...one, description: 'd' }));
      const list = parametersSchema(full);
      const before = structuredClone(value);

      const own = verdictOf(list, value);
      const asJson = verdictOf(toToolSchema(jsonSchema(list.json)), value);
      const asZod = verdictOf(toToolSchema(zodForm(some)), value);

      expect('value' in (asZod as object)).toBe('value' in (own as object));
      expect('value' in (asJson as object)).toBe('value' in (own as object));
      expect((asJson as { value?: unknown }).value).toEqual((own as { value?: unknown }).value);
      expect((asZod as { value?: unknown }).value).toEqual((own as { value?: unknown }).value);
      expect(value).toEqual(before);
    },
  );

  test.prop([parameters, input], { numRuns: 300 })('name the same places and say the same of them', (some, value) => {
    fc.pre(typeof value === 'object' && value !== null && !Array.isArray(value));
    const list = parametersSchema(some.map((one) => ({ ...one, description: 'd' })));

    const own = verdictOf(list, value) as { places?: { path: string; message: string }[] };
    const asJson = verdictOf(toToolSchema(jsonSchema(list.json)), value) as typeof own;

    expect(asJson.places?.map(({ path, message }) => ({ path, message }))).toEqual(
      own.places?.map(({ path, message }) => ({ path, message })),
    );
  });
});
