import { fc, test } from '@fast-check/vitest';
import { type JsonSchema, ValidationError } from '@x/core';
import { withoutNulls } from '@x/json-schema';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect } from 'vitest';
import { anthropicSchema, geminiSchema, openaiSchema } from './provider-schema.ts';

/** A schema, and a value that it accepts. */
interface Sample {
  readonly schema: Record<string, unknown>;
  readonly value: unknown;
}

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'x/y');
const note = fc.constantFrom({}, { description: 'So.' }, { title: 'T', default: 'x' });
const scalar: fc.Arbitrary<Sample> = fc.oneof(
  fc.constant({ schema: { type: 'string', minLength: 1, pattern: '^[a-z]' }, value: 'abc' }),
  fc.constant({ schema: { type: 'string', format: 'uri' }, value: 'a:b' }),
  fc
    .integer({ min: 1, max: 9 })
    .map((value) => ({ schema: { type: 'integer', minimum: 1, exclusiveMaximum: 10 }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.constantFrom('a', 2, null).map((value) => ({ schema: { enum: ['a', 2, null] }, value })),
  fc.constantFrom('a', 2, true, null).map((value) => ({ schema: { const: value }, value })),
  fc.constantFrom('a', null).map((value) => ({ schema: { type: ['string', 'null'] }, value })),
  fc.constant({ schema: { $ref: '#/$defs/tree' }, value: { name: 'a', next: { name: 'b' } } }),
);
/** Every value is accepted by one side of the unions only, as it is where there is a mark. */
const sample: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    scalar,
    objectOf(tie('any')),
    listOf(tie('any')),
    unionOf(tie('any')),
    bothOf(tie('any')),
  ),
})).any;
const root: fc.Arbitrary<Sample> = objectOf(sample).map(({ schema, value }) => {
  const tree = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/$defs/tree' } },
    required: ['name'],
  };
  return { schema: { ...schema, $defs: { tree } }, value };
});

function objectOf(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const property = fc.record({ name, sample: inner, note, required: fc.boolean(), present: fc.boolean() });
  return fc.uniqueArray(property, { selector: (one) => one.name, maxLength: 3 }).map((all) => ({
    schema: {
      type: 'object',
      properties: Object.fromEntries(all.map((one) => [one.name, { ...one.sample.schema, ...one.note }])),
      required: all.filter(isRequired).map((one) => one.name),
    },
    value: Object.fromEntries(
      all.filter((one) => isRequired(one) || one.present).map((one) => [one.name, one.sample.value]),
    ),
  }));
}
/** A property that may be null and absent is sent as one that may be null: that difference is lost. */
function isRequired({ required, sample: { schema } }: { required: boolean; sample: Sample }): boolean {
  return (
    required || [schema['type'], schema['enum'], schema['const']].flat().some((one) => one === null || one === 'null')
  );
}
function listOf(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(inner, fc.nat({ max: 3 })).map(([{ schema, value }, count]) => ({
    schema: { type: 'array', items: schema, maxItems: 3 },
    value: Array.from({ length: count }, () => value),
  }));
}
function unionOf(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const kind = (value: string, { schema }: Sample) => {
    return { type: 'object', properties: { kind: { const: value }, is: schema }, required: ['kind', 'is'] };
  };
  return fc.tuple(fc.constantFrom('anyOf', 'oneOf'), inner, inner).map(([union, one, two]) => ({
    schema: { [union]: [kind('one', one), kind('two', two)] },
    value: { kind: 'two', is: two.value },
  }));
}
function bothOf(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const part = (key: string, { schema }: Sample) => ({
    type: 'object',
    properties: { [key]: schema },
    required: [key],
  });
  return fc.tuple(inner, inner).map(([one, two]) => ({
    schema: { allOf: [part('one', one), part('two', two)] },
    value: { one: one.value, two: two.value },
  }));
}

/** Keywords by service; what else may be in a schema that is sent is nothing. */
const COMMON = [
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  '$ref',
  '$defs',
  'enum',
];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const KEYWORDS = {
  openai: new Set([...COMMON, ...NUMBERS, 'const', 'pattern', 'format', 'minItems', 'maxItems']),
  anthropic: new Set([...COMMON, 'const', 'format', 'minItems']),
  gemini: new Set([...COMMON, 'format', 'prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum']),
};

function nodesOf(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as Record<string, unknown>; // safe: read as unknown values
  const lists = ['anyOf', 'prefixItems'].flatMap((key) => (node[key] as unknown[] | undefined) ?? []);
  const maps = ['properties', '$defs'].flatMap((key) => Object.values(node[key] ?? {}));
  return [node, ...[...lists, ...maps, node['items'], node['additionalProperties']].flatMap(nodesOf)];
}

/** A small judge of the subset that is sent; strings are not looked at. */
function accepts(schema: unknown, value: unknown, rootSchema: JsonSchema): boolean {
  const node = schema as Record<string, unknown>; // safe: a schema that is sent has no booleans in it
  const within = (part: unknown, inside = value) => accepts(part, inside, rootSchema);
  if (typeof node['$ref'] === 'string')
    return within(
      node['$ref']
        .split('/')
        .slice(1)
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], rootSchema),
    );
  if (Array.isArray(node['anyOf']) && !node['anyOf'].some((choice) => within(choice))) return false;
  if (Array.isArray(node['enum']) && !node['enum'].includes(value)) return false;
  if (Object.hasOwn(node, 'const') && node['const'] !== value) return false;
  if (node['type'] !== undefined && ![node['type']].flat().some((type) => isOf(value, type))) return false;
  if (typeof value === 'number')
    return value >= Number(node['minimum'] ?? value) && value < Number(node['exclusiveMaximum'] ?? value + 1);
  if (Array.isArray(value))
    return (
      value.length <= Number(node['maxItems'] ?? 9) &&
      (node['items'] === undefined || value.every((item) => within(node['items'], item)))
    );
  if (typeof value !== 'object' || value === null || node['properties'] === undefined) return true;
  const properties = node['properties'] as object;
  const required = (node['required'] ?? []) as string[];
  return (
    required.every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(
      ([key, inside]) =>
        Object.hasOwn(properties, key) && within(Object.getOwnPropertyDescriptor(properties, key)?.value, inside),
    )
  );
}
function isOf(value: unknown, type: unknown): boolean {
  if (value === null || Array.isArray(value)) return type === (value === null ? 'null' : 'array');
  return typeof value === type || (type === 'integer' && Number.isInteger(value));
}

/** The value with null wherever a property that the sent schema requires is absent; of two choices the one of the same kind is meant. */
function withNulls(value: unknown, schema: unknown, rootSchema: JsonSchema): unknown {
  const node = schema as Record<string, unknown>; // safe: as above
  if (typeof value !== 'object' || value === null) return value;
  if (node['$ref'] === '#/$defs/tree')
    return withNulls(value, (rootSchema['$defs'] as Record<string, unknown>)['tree'], rootSchema);
  if (Array.isArray(node['anyOf'])) {
    const choices = node['anyOf'].map((choice) => withNulls(value, choice, rootSchema));
    return choices.find((choice, index) => accepts((node['anyOf'] as unknown[])[index], choice, rootSchema)) ?? value;
  }
  if (Array.isArray(value))
    return node['items'] === undefined ? value : value.map((item) => withNulls(item, node['items'], rootSchema));
  const entries = Object.entries(node['properties'] ?? {}).map(([key, property]) => {
    return [
      key,
      Object.hasOwn(value, key)
        ? withNulls(Object.getOwnPropertyDescriptor(value, key)?.value, property, rootSchema)
        : null,
    ];
  });
  const others = Object.entries(value).filter(([key]) => !Object.hasOwn(node['properties'] ?? {}, key));
  return Object.fromEntries([...entries, ...others]);
}

describe('what is sent', () => {
  test.prop([root])(
    'to OpenAI is in its subset, as its own client says, and accepts each value with null for what is absent',
    ({ schema, value }) => {
      const before = JSON.stringify(schema);

      const sent = openaiSchema(schema, true);

      expect(JSON.stringify(schema)).toBe(before);
      for (const node of nodesOf(sent)) {
        expect(Object.keys(node).filter((key) => !KEYWORDS.openai.has(key))).toEqual([]);
        if (node['type'] !== 'object') continue;
        expect(node['additionalProperties']).toBe(false);
        expect(node['required']).toEqual(Object.keys(node['properties'] ?? {}));
      }
      expect(JSON.stringify(toStrictJsonSchema(sent))).toBe(JSON.stringify(sent));
      const told = withNulls(value, sent, sent);
      expect(accepts(sent, told, sent)).toBe(true);
      expect(withoutNulls(told, schema)).toEqual(value);
    },
  );

  test.prop([root])(
    'to Anthropic is in its subset and accepts each value, unless the schema is recursive',
    ({ schema, value }) => {
      let sent: JsonSchema;
      try {
        sent = anthropicSchema(schema);
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationError);
        expect(JSON.stringify(schema['properties'])).toContain('#/$defs/tree');
        return;
      }

      for (const node of nodesOf(sent)) {
        expect(Object.keys(node).filter((key) => !KEYWORDS.anthropic.has(key))).toEqual([]);
        if (node['type'] === 'object') expect(node['additionalProperties']).toBe(false);
      }
      expect(accepts(sent, value, sent)).toBe(true);
    },
  );

  test.prop([root])('to Gemini is in its subset and accepts each value', ({ schema, value }) => {
    const sent = geminiSchema(schema);

    for (const node of nodesOf(sent)) {
      expect(Object.keys(node).filter((key) => !KEYWORDS.gemini.has(key))).toEqual([]);
      if (node['$ref'] !== undefined) expect(Object.keys(node)).toEqual(['$ref']);
      if (Array.isArray(node['enum']))
        expect(node['enum'].every((one) => typeof one === 'string' || typeof one === 'number')).toBe(true);
    }
    expect(accepts(sent, value, sent)).toBe(true);
  });

  test.prop([
    fc.constantFrom(openaiSchema, anthropicSchema, geminiSchema),
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom(
        'type',
        'properties',
        'items',
        'anyOf',
        'allOf',
        'enum',
        'const',
        '$ref',
        '$defs',
        'required',
        'additionalProperties',
        'not',
        'prefixItems',
      ),
      fc.jsonValue(),
    ),
  ])('is refused with a typed error, if it is refused', (rewrite, value, nonsense) => {
    const schema = { type: 'object', properties: { a: nonsense, b: value }, ...nonsense };

    try {
      expect(rewrite(schema, true)).toBeTypeOf('object');
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
    }
  });
});
