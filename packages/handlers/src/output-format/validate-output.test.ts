import { objectSchema, type Schema } from '@x/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lineOf, validateOutput } from './validate-output.ts';

const running = { signal: new AbortController().signal };
const linesFor = async (schema: Parameters<typeof validateOutput>[0], value: unknown) => {
  const validated = await validateOutput(schema, value, running);
  return validated && 'issues' in validated ? validated.issues.map(lineOf) : validated;
};

describe('validateOutput', () => {
  it('returns what the parser returns: defaults, coercions, transforms', async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)), n: z.int().default(3) });

    expect(await validateOutput(schema, { at: '2024-01-01' }, running)).toEqual({
      value: { at: new Date('2024-01-01'), n: 3 },
    });
  });

  it('names each place that is wrong as a program would write it, and what is expected there', async () => {
    const schema = z.object({ items: z.array(z.object({ price: z.number() })), kind: z.enum(['a', 'b']) });

    expect(await linesFor(schema, { items: [{ price: 1 }, { price: 'x' }], kind: 'c' })).toEqual([
      'items[1].price: Invalid input: expected number, received string',
      'kind: Invalid option: expected one of "a"|"b"',
    ]);
    expect(await linesFor(schema, 'x')).toEqual(['Invalid input: expected object, received string']);
  });

  it('tells of a union what each alternative lacks', async () => {
    const schema = z.object({ x: z.union([z.string(), z.object({ a: z.number() })]) });

    expect(await linesFor(schema, { x: { a: 'b' } })).toEqual([
      'x: Invalid input: either x: Invalid input: expected string, received object; or x.a: Invalid input: expected number, received string',
    ]);
  });

  it('takes the faults of a Schema that is none of a vendor', async () => {
    const fields = { a: { type: 'string', description: 'A.' }, b: { type: 'number', description: 'B.' } } as const;
    const own: Schema = {
      json: {},
      parse() {
        throw new RangeError('too large');
      },
    };

    expect(await linesFor(objectSchema(fields), { a: 1 })).toEqual(['a: a must be a string', 'b: b is required']);
    expect(await linesFor(own, 1)).toEqual(['too large']);
    expect(await validateOutput(objectSchema(fields), { a: 'x', b: 1 }, running)).toEqual({ value: { a: 'x', b: 1 } });
  });

  it('waits for a schema that answers later', async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name === 'known', 'is not known') });

    expect(await validateOutput(schema, { name: 'known' }, running)).toEqual({ value: { name: 'known' } });
    expect(await linesFor(schema, { name: 'other' })).toEqual(['name: is not known']);
  });

  it('waits no longer than the run', async () => {
    const abort = new AbortController();
    const never = z.string().refine(() => new Promise<boolean>(() => undefined));

    const validating = validateOutput(never, 'x', abort);
    abort.abort();

    expect(await validating).toBeUndefined();
    expect(await validateOutput(never, 'x', abort)).toBeUndefined();
  });

  it('takes what the schema itself throws for a fault, and keeps the cause', async () => {
    const schema = z.string().transform((text) => new URL(text));

    const validated = await validateOutput(schema, 'no url', running);

    expect(validated).toEqual({ issues: [{ path: '', message: 'Invalid URL' }], cause: expect.any(TypeError) });
  });
});
