// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { ValidationError } from '@x/errors';
import { jsonSchema, type Schema } from '@x/json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { toToolSchema } from './tool-schema.ts';

const faultsOf = (schema: Schema, value: unknown): unknown => {
  try {
    schema.parse(value);
  } catch (error) {
    return (error as ValidationError).details;
  }
  return undefined;
};
const unknown = (name: string) => ({ path: `/${name}`, message: `Unknown parameter: ${name}` });

const FORMS: [string, () => Schema][] = [
  ['zod', () => toToolSchema(z.object({ a: z.string(), b: z.number().optional() }))],
  ['valibot', () => toToolSchema(toStandardJsonSchema(v.object({ a: v.string(), b: v.optional(v.number()) })))],
  ['arktype', () => toToolSchema(type({ a: 'string', 'b?': 'number' }))],
  [
    'JSON Schema',
    () =>
      toToolSchema(
        jsonSchema({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] }),
      ),
  ],
];

describe('toToolSchema', () => {
  it.each(FORMS)('refuses what is unknown, missing or wrong in %s alike', (_, make) => {
    const schema = make();

    expect(schema.parse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
    expect(faultsOf(schema, { a: 'x', c: 1, toString: 2 })).toMatchObject([unknown('c'), unknown('toString')]);
    expect(faultsOf(schema, { a: 1, c: 1 })).toMatchObject([{ path: '/a' }, unknown('c')]);
    expect(faultsOf(schema, {})).toMatchObject([{ path: '/a' }]);
    expect(() => schema.parse([])).toThrow(ValidationError);
  });

  it.each<[string, Schema]>([
    ['looseObject', toToolSchema(z.looseObject({ a: z.string() }))],
    ['catchall', toToolSchema(z.object({ a: z.string() }).catchall(z.number()))],
    ['record', toToolSchema(z.record(z.string(), z.union([z.string(), z.number()])))],
    [
      'additionalProperties',
      toToolSchema(jsonSchema({ type: 'object', properties: { a: {} }, additionalProperties: true })),
    ],
    ['unevaluatedProperties', toToolSchema(jsonSchema({ type: 'object', properties: {}, unevaluatedProperties: {} }))],
  ])('leaves the decision to a schema that makes one: %s', (_, schema) => {
    expect(schema.parse({ a: 'x', more: 1 })).toEqual({ a: 'x', more: 1 });
  });

  it('knows the names of branches and references', () => {
    const json = {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] } },
      if: { properties: { kind: { const: 'a' } } },
      then: { $ref: '#/$defs/more' },
      $defs: { more: { properties: { x: true } } },
    };

    for (const schema of [toToolSchema(jsonSchema(json)), toToolSchema({ json, parse: (value: unknown) => value })]) {
      expect(schema.parse({ kind: 'a', x: 1 })).toEqual({ kind: 'a', x: 1 });
      expect(faultsOf(schema, { kind: 'a', y: 1 })).toMatchObject([unknown('y')]);
    }
  });

  it('closes only the root, also where the root is what references mean', () => {
    const schema = toToolSchema(jsonSchema({ type: 'object', properties: { next: { $ref: '#' } } }));

    expect(schema.parse({ next: { other: 1 } })).toEqual({ next: { other: 1 } });
    expect(faultsOf(schema, { other: 1 })).toMatchObject([unknown('other')]);
  });

  it.each<[string, Schema, unknown, unknown]>([
    ['a union', toToolSchema(z.union([z.object({ a: z.string() }), z.string()])), { a: 'x' }, 5],
    ['a text', toToolSchema(z.string()), 'x', 1],
    ['a list', toToolSchema(jsonSchema({ type: 'array', items: { type: 'integer' } })), [1], ['x']],
    ['allOf', toToolSchema(jsonSchema({ type: 'object', allOf: [{ required: ['a'] }] })), { a: 1 }, {}],
  ])('puts %s at the root under input', (_, schema, good, bad) => {
    expect(schema.json).toMatchObject({ type: 'object', required: ['input'], additionalProperties: false });
    expect(schema.parse({ input: good })).toEqual(good);
    expect(faultsOf(schema, { input: bad })).toMatchObject([{ path: expect.stringMatching(/^\/input/) }]);
    expect(faultsOf(schema, { input: good, more: 1 })).toMatchObject([unknown('more')]);
    expect(faultsOf(schema, {})).toMatchObject([{ path: '/input', message: 'Required parameter missing: input' }]);
    expect(faultsOf(schema, Object.create({ input: good }))).toMatchObject([{ path: '/input' }]);
    expect(faultsOf(schema, good)).not.toBeUndefined();
  });

  it('keeps references where they lead when it wraps', () => {
    const json = {
      anyOf: [{ $ref: '#/$defs/leaf' }, { type: 'array', items: { $ref: '#' } }, { $ref: '#/anyOf/1' }],
      enum: [{ $ref: '#' }],
      $defs: { leaf: { type: 'string' }, root: { $ref: '#' } },
    };

    const wrapped = toToolSchema(jsonSchema(json)).json;

    expect(wrapped).toEqual({
      type: 'object',
      properties: {
        input: {
          anyOf: [
            { $ref: '#/$defs/leaf' },
            { type: 'array', items: { $ref: '#/properties/input' } },
            { $ref: '#/properties/input/anyOf/1' },
          ],
          enum: [{ $ref: '#' }],
        },
      },
      required: ['input'],
      additionalProperties: false,
      $defs: { leaf: { type: 'string' }, root: { $ref: '#/properties/input' } },
    });
    expect(() => jsonSchema(wrapped)).not.toThrow();
  });

  it('takes a root that only names a definition for that definition', () => {
    const json = { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { x: { $ref: '#/$defs/a' } } } } };

    const schema = toToolSchema(jsonSchema(json));

    expect(schema.json).toMatchObject({ type: 'object', properties: { x: { $ref: '#/$defs/a' } }, $defs: {} });
    expect(schema.parse({ x: { x: {} } })).toEqual({ x: { x: {} } });
    expect(faultsOf(schema, { y: 1 })).toMatchObject([unknown('y')]);
  });

  it('keeps the references of a schema that has an identity of its own', () => {
    const json = { $id: 'https://example.com/a', anyOf: [{ $ref: '#/$defs/b' }], $defs: { b: { type: 'string' } } };
    const schema = toToolSchema(jsonSchema(json));

    expect(schema.json).toMatchObject({ properties: { input: json } });
    expect(() => jsonSchema(schema.json)).not.toThrow();
  });

  it('reads nothing that every object inherits', () => {
    const schema = toToolSchema(z.object({ toString: z.string().optional() }));

    expect(schema.parse({})).toEqual({});
    expect(faultsOf(schema, { toString: 1 })).toMatchObject([{ path: '/toString' }]);
  });

  it('tells a hundred unknown names at most', () => {
    const schema = toToolSchema(z.object({ a: z.string().optional() }));
    const names = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]));

    expect(faultsOf(schema, names)).toHaveLength(100);
  });

  it('adapts a schema once, and never what it has made', () => {
    const schema = z.union([z.string(), z.number()]);
    const first = toToolSchema(schema);

    expect(toToolSchema(schema)).toBe(first);
    expect(toToolSchema(first)).toBe(first);
    expect(defineTool({ name: 't', description: 'd', inputSchema: first, execute: async () => '' }).inputSchema).toBe(
      first,
    );
  });

  it('asks a vendor for its JSON Schema on first use, once', () => {
    const input = vi.fn<() => Record<string, unknown>>(() => ({ type: 'object', properties: { a: {} } }));
    const validate = (value: unknown) => ({ value });
    const schema = toToolSchema({ '~standard': { version: 1, vendor: 'v', validate, jsonSchema: { input } } });

    expect(input).not.toHaveBeenCalled();
    schema.parse({ a: 1 });
    schema.parse({ a: 2 });
    expect(schema.json).toEqual({ type: 'object', properties: { a: {} } });
    expect(input).toHaveBeenCalledOnce();
  });

  it('tells the faults of a parser that has no details', () => {
    const parse = () => {
      throw new ValidationError('too large', 'a');
    };
    const schema = toToolSchema({ json: { type: 'object', properties: { a: {} } }, parse });

    expect(faultsOf(schema, { b: 1 })).toMatchObject([{ path: '/a', message: 'too large' }, unknown('b')]);
    expect(faultsOf(toToolSchema({ json: { enum: [1] }, parse }), { input: 2 })).toEqual([
      { path: '/input/a', message: 'too large' },
    ]);
  });

  it.each([null, undefined, 1, {}])('refuses %j', (schema) => {
    expect(() => toToolSchema(schema as never)).toThrow(ValidationError);
  });
});

describe('toToolSchema, of a schema of its own', () => {
  const own = (json: Schema['json'], thrown: unknown): Schema => ({
    json,
    parse: () => {
      throw thrown;
    },
  });

  it('passes on what is thrown that is no fault of the input', () => {
    const broken = new TypeError('broken');

    expect(() => toToolSchema(own({ type: 'object', properties: {} }, broken)).parse({ odd: 1 })).toThrow(broken);
    expect(() => toToolSchema(own({ type: 'string' }, broken)).parse({ input: 1 })).toThrow(broken);
  });

  it('keeps a fault without details', () => {
    const plain = new ValidationError('too short', 'a');

    expect(faultsOf(toToolSchema(own({ type: 'object', properties: {} }, plain)), { odd: 1 })).toMatchObject([
      { path: '/a', message: 'too short' },
      unknown('odd'),
    ]);
    expect(faultsOf(toToolSchema(own({ type: 'string' }, new ValidationError('bad'))), { input: 1 })).toMatchObject([
      { path: '/input', message: 'bad' },
    ]);
    expect(() => toToolSchema(own({ type: 'string' }, plain)).parse(1)).toThrow('Parameters must be an object');
  });
});
