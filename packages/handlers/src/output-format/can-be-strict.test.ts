import { objectSchema } from '@x/core';
import { type AnyStandardSchema, toSchema } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canBeStrict } from './can-be-strict.ts';

const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});
const named = z.object({ x: z.string() }).meta({ id: 'Named' });
const jsonOf = (schema: AnyStandardSchema) => toSchema(schema).json;
const within = (inner: AnyStandardSchema) => z.object({ list: z.array(z.object({ inner: inner as z.ZodType })) });

describe('canBeStrict', () => {
  it.each<[string, AnyStandardSchema]>([
    ['an object of plain values', z.object({ a: z.string(), b: z.number().min(0).max(1), c: z.boolean(), d: z.int() })],
    ['optional and nullable ones', z.object({ a: z.string().optional(), b: z.number().nullable(), c: z.null() })],
    ['defaults and descriptions', z.object({ a: z.string().default('x').describe('What it is.') })],
    ['enums and literals', z.object({ a: z.enum(['x', 'y']), b: z.literal(1) })],
    ['lists of objects', within(z.string())],
    ['unions', within(z.union([z.string(), z.object({ a: z.number() })]))],
    ['one that is an object and no other', z.strictObject({ a: z.string() })],
    ['one that holds itself', tree],
    [
      'tagged unions',
      within(z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })])),
    ],
    ['definitions', z.object({ a: named, b: z.array(named) })],
    ['formats and patterns', z.object({ a: z.email(), b: z.string().regex(/a/), c: z.iso.date() })],
  ])('is true for %s', (_, schema) => {
    expect(canBeStrict(jsonOf(schema))).toBe(true);
  });

  it('is true for an objectSchema', () => {
    expect(canBeStrict(objectSchema({ a: { type: 'string', description: 'A.', optional: true } }).json)).toBe(true);
  });

  it.each<[string, AnyStandardSchema]>([
    ['a list', z.array(z.string())],
    ['a text', z.string()],
    ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a record', z.record(z.string(), z.number())],
    ['a record inside', within(z.record(z.string(), z.number()))],
    ['a tuple inside', within(z.tuple([z.string(), z.number()]))],
    ['anything inside', within(z.unknown())],
    ['an object that lets anything in', within(z.looseObject({ a: z.string() }))],
    ['an object with a type for the rest', within(z.object({ a: z.string() }).catchall(z.number()))],
  ])('is false for %s', (_, schema) => {
    expect(canBeStrict(jsonOf(schema))).toBe(false);
  });

  it.each([
    ['conditions', { properties: {}, if: {}, else: {} }],
    ['negations', { properties: { a: { not: { type: 'string' } } } }],
    ['an object without properties', { properties: { a: { type: 'object' } } }],
    ['a list of anything', { properties: { a: { type: 'array' } } }],
    ['a null that is to be an object', { properties: { a: { type: 'object', enum: [null] } } }],
    ['what is no schema', { properties: { a: 'string' } }],
    ['properties that are none', { properties: [] }],
    ['alternatives that are none', { properties: { a: { anyOf: 'b' } } }],
    [
      'alternatives beside a shape',
      { properties: { a: { properties: {}, anyOf: [{ type: 'object', properties: {} }] } } },
    ],
    ['alternatives of two kinds', { properties: { a: { anyOf: [{ type: 'null' }], oneOf: [{ type: 'string' }] } } }],
    ['no alternative', { properties: { a: { anyOf: [] } } }],
    ['a reference to elsewhere', { properties: { a: { $ref: 'https://a.example/' } } }],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/b' } }, $defs: { c: { type: 'string' } } }],
    ['definitions that are none', { properties: {}, $defs: [] }],
    ['a definition that cannot be', { properties: {}, $defs: { a: {} } }],
    ['a property that is required and unknown', { properties: {}, required: ['a'] }],
    ['what is required, and no list', { properties: {}, required: 'a' }],
    ['an unknown type', { properties: { a: { type: 'date' } } }],
    ['no type in a list of them', { properties: { a: { type: [] } } }],
    ['a list of objects', { properties: { a: { enum: [{}] } } }],
    ['an empty list', { properties: { a: { enum: [] } } }],
    ['many values', { properties: { a: { enum: Array.from({ length: 251 }, (_, index) => index) } } }],
    ['many words', { properties: { a: { type: 'string', description: 'x'.repeat(50_000) } } }],
    ['nothing', {}],
  ])('is false for %s', (_, more) => {
    expect(canBeStrict({ type: 'object', ...more })).toBe(false);
  });

  it('is false for what is too deep, and answers', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 20_000; level++) deep = { type: 'object', properties: { a: deep } };

    expect(canBeStrict(deep as Record<string, unknown>)).toBe(false);
  });
});
