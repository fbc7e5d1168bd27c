import { defineTool } from '@x/core';
import { jsonSchema } from '@x/json-schema';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { functionTool } from './function-tool.ts';
import { ToolRegistry } from './tool-registry.ts';

const TARGETS = ['draft-2020-12', 'draft-7', 'draft-4', 'openapi-3.0'] as const;
const tree = z.object({
  value: z.number(),
  get children() {
    return z.array(tree).optional();
  },
});

/** A schema of each kind that zod 4 writes as JSON Schema, with a value that it takes. */
const KINDS: readonly (readonly [kind: string, schema: z.ZodType, good: unknown])[] = [
  ['string', z.string().min(1).max(9), 'a'],
  ['email', z.email(), 'a@example.com'],
  ['url', z.url(), 'https://example.com/x'],
  ['httpUrl', z.httpUrl(), 'https://example.com/x'],
  ['uuid', z.uuid(), '123e4567-e89b-42d3-a456-426614174000'],
  ['uuidv4', z.uuidv4(), '123e4567-e89b-42d3-a456-426614174000'],
  ['guid', z.guid(), '123e4567-e89b-42d3-a456-426614174000'],
  ['nanoid', z.nanoid(), 'V1StGXR8_Z5jdHi6B-myT'],
  ['cuid', z.cuid(), 'cjld2cjxh0000qzrmn831i7rn'],
  ['cuid2', z.cuid2(), 'tz4a98xxat96iws9zmbrgj3a'],
  ['ulid', z.ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['xid', z.xid(), '9m4e2mr0ui3e8a215n4g'],
  ['ksuid', z.ksuid(), '0ujsszwN8NRY24YaXiTIE2VWDTS'],
  ['emoji', z.emoji(), '😀'],
  ['base64', z.base64(), 'aGk='],
  ['base64url', z.base64url(), 'aGk'],
  ['jwt', z.jwt(), 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhIjoxfQ.c2ln'],
  ['ipv4', z.ipv4(), '127.0.0.1'],
  ['ipv6', z.ipv6(), '::1'],
  ['cidrv4', z.cidrv4(), '10.0.0.0/8'],
  ['cidrv6', z.cidrv6(), '2001:db8::/32'],
  ['mac', z.mac(), '00:1a:2b:3c:4d:5e'],
  ['e164', z.e164(), '+14155552671'],
  ['hostname', z.hostname(), 'example.com'],
  ['hex', z.hex(), 'ab01'],
  ['hash', z.hash('sha256'), 'a'.repeat(64)],
  ['lowercase', z.string().lowercase(), 'a'],
  ['uppercase', z.string().uppercase(), 'A'],
  ['startsWith', z.string().startsWith('a/b'), 'a/bc'],
  ['endsWith', z.string().endsWith('.js'), 'x.js'],
  ['includes', z.string().includes('x.y'), 'ax.yb'],
  ['two patterns', z.string().regex(/^a/).regex(/b$/), 'ab'],
  ['look-ahead', z.string().regex(/^(?!-)[a-z-]+$/), 'a-b'],
  ['trim', z.string().trim(), 'a'],
  ['datetime', z.iso.datetime({ offset: true, precision: 3 }), '2024-01-01T00:00:00.000+02:00'],
  ['date', z.iso.date(), '2024-01-01'],
  ['time', z.iso.time(), '12:00:00'],
  ['duration', z.iso.duration(), 'P1D'],
  ['template', z.templateLiteral(['a-', z.number(), z.enum(['px', 'em'])]), 'a-1px'],
  ['int', z.int(), 1],
  ['int32', z.int32(), 1],
  ['uint32', z.uint32(), 1],
  ['float32', z.float32(), 1.5],
  ['float64', z.float64(), 1.5],
  ['number', z.number(), 1.5],
  ['positive', z.number().positive().lt(9), 1],
  ['multipleOf', z.number().multipleOf(0.01), 19.99],
  ['boolean', z.boolean(), true],
  ['null', z.null(), null],
  ['any', z.any(), 1],
  ['unknown', z.unknown(), 1],
  ['literal', z.literal('a'), 'a'],
  ['literals', z.literal(['a', 1, null]), 1],
  ['enum', z.enum(['a', 'b']), 'a'],
  ['array', z.array(z.string()).min(1).max(3), ['a']],
  ['tuple', z.tuple([z.string(), z.number()]), ['a', 1]],
  ['tuple with a rest', z.tuple([z.string()], z.number()), ['a', 1]],
  ['object', z.object({ a: z.string(), b: z.number().optional() }), { a: 'x' }],
  ['strictObject', z.strictObject({ a: z.string() }), { a: 'x' }],
  ['looseObject', z.looseObject({ a: z.string() }), { a: 'x', b: 1 }],
  ['catchall', z.object({ a: z.string() }).catchall(z.number()), { a: 'x', b: 1 }],
  ['record', z.record(z.string(), z.number()), { a: 1 }],
  ['record of an enum', z.record(z.enum(['a', 'b']), z.number()), { a: 1, b: 2 }],
  ['partialRecord', z.partialRecord(z.enum(['a', 'b']), z.number()), { a: 1 }],
  ['record of a pattern', z.record(z.string().regex(/^x-/), z.number()), { 'x-a': 1 }],
  ['union', z.union([z.string(), z.number()]), 1],
  [
    'discriminatedUnion',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
    { t: 'b' },
  ],
  ['xor', z.xor([z.string(), z.number()]), 1],
  ['intersection', z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })), { a: 'x', b: 1 }],
  ['nullable', z.string().nullable(), null],
  ['nullish', z.object({ a: z.string().nullish() }), { a: null }],
  ['default', z.object({ a: z.string().default('x'), b: z.number().default(3) }), {}],
  ['prefault', z.object({ a: z.string().prefault('x') }), {}],
  ['catch', z.object({ a: z.string().catch('x') }), { a: 'y' }],
  ['readonly', z.object({ a: z.array(z.string()).readonly() }), { a: ['x'] }],
  [
    'meta',
    z.object({ a: z.string().meta({ title: 'T', examples: ['q'], deprecated: true, 'x-ui': 'field' }) }),
    { a: 'x' },
  ],
  ['meta with an id', z.object({ a: z.string().meta({ id: 'Thing' }) }), { a: 'x' }],
  ['recursive', tree, { value: 1, children: [{ value: 2 }] }],
  ['stringbool', z.stringbool(), 'true'],
  ['coerce', z.object({ n: z.coerce.number() }), { n: 5 }],
  ['pipe', z.string().pipe(z.string().min(2)), 'ab'],
  ['json', z.json(), { a: [1, null] }],
  ['keyof', z.keyof(z.object({ a: z.string(), b: z.string() })), 'a'],
  ['brand', z.string().brand('X'), 'a'],
  ['file', z.file(), 'its bytes'],
  ['never', z.object({ a: z.never().optional() }), {}],
];
const isPlain = (json: object) =>
  'type' in json && json.type === 'object' && !['allOf', 'anyOf', 'oneOf'].some((one) => one in json);

describe('what zod 4 writes', () => {
  it.each(KINDS.flatMap(([kind, schema, good]) => TARGETS.map((target) => [kind, target, schema, good] as const)))(
    'is taken as the schema of others: %s as %s',
    async (_, target, schema, good) => {
      const parameters = z.toJSONSchema(schema, { target, io: 'input', unrepresentable: 'any' });
      const tool = functionTool({ type: 'function', function: { name: 'a', parameters } }, (input) => input);

      expect(jsonSchema(parameters, { foreign: true }).check(good).issues).toBeUndefined();
      expect(tool.inputSchema.json).toMatchObject({ type: 'object' });
    },
  );

  it.each(KINDS.filter(([kind]) => kind !== 'file'))('declares a tool of one`s own: %s', async (_, schema, good) => {
    const registry = new ToolRegistry();
    registry.add(
      defineTool({ name: 'own', description: 'd', inputSchema: schema, execute: async (input) => ({ input }) }),
    );

    const json = z.toJSONSchema(schema, { io: 'input' });
    const input = isPlain(json) ? good : { input: good };

    await expect(registry.execute('own', input as Record<string, unknown>)).resolves.toHaveProperty('input');
  });
});
