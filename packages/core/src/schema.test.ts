import type { StandardSchemaV1 } from '@standard-schema/spec';
import { faultsText, ValidationError } from '@x/errors';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { standardSchema, toSchema, zodSchema } from './schema.ts';

const even: StandardSchemaV1<unknown, number> = {
  '~standard': {
    version: 1,
    vendor: 'hand-written',
    validate: (value) =>
      typeof value === 'number' && value % 2 === 0
        ? { value: value / 2 }
        : { issues: [{ message: 'not even', path: ['deep', { key: 'er' }] }, { message: 'odd' }] },
  },
};

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('standardSchema', () => {
  it('takes the JSON Schema from zod, without $schema, described as input', () => {
    const schema = standardSchema(z.object({ query: z.string().describe('what'), limit: z.number().default(5) }));

    expect(schema.json).toMatchObject({
      type: 'object',
      properties: { query: { type: 'string', description: 'what' }, limit: { type: 'number', default: 5 } },
      required: ['query'],
    });
    expect(schema.json).not.toHaveProperty('$schema');
  });

  it('asks for the JSON Schema on first use, and once', () => {
    const input = vi.fn<() => Record<string, unknown>>(() => ({ type: 'number' }));
    const schema = standardSchema({ '~standard': { ...even['~standard'], jsonSchema: { input } } } as typeof even);

    expect(input).not.toHaveBeenCalled();
    expect(schema.json).toBe(schema.json);

    expect(input).toHaveBeenCalledOnce();
  });

  it('returns what the parser made of the value', () => {
    expect(standardSchema(z.object({ at: z.string().default('now') })).parse({})).toEqual({ at: 'now' });
    expect(standardSchema(even, { type: 'number' }).parse(8)).toBe(4);
  });

  it('takes the JSON Schema it was given', () => {
    expect(standardSchema(even, { type: 'number' }).json).toEqual({ type: 'number' });
  });

  it('says what to do when there is no JSON Schema', () => {
    expect(() => standardSchema(even).json).toThrow(/hand-written schema offers no JSON Schema; pass standardSchema/);
  });

  it('throws a ValidationError with the cause for what JSON Schema cannot say', () => {
    const error = thrownBy(() => standardSchema(z.object({ when: z.date() })).json);

    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', statusCode: 400, cause: expect.any(Error) });
  });

  it('turns issues into a ValidationError with the first field and all details', () => {
    const schema = standardSchema(z.object({ user: z.object({ name: z.string() }), age: z.number() }));

    const error = thrownBy(() => schema.parse({ user: { name: 1 }, age: 'old' }));

    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      field: 'user.name',
      message: expect.stringMatching(/^user\.name: [^;]+$/),
      details: [{ path: '/user/name' }, { path: '/age' }],
    });
    expect(faultsText(error)).toMatch(/^user\.name: .+; age: .+/);
  });

  it('reads path segments that are objects, and issues without a path', () => {
    const error = thrownBy(() => standardSchema(even, {}).parse(3));

    expect(error).toMatchObject({
      message: 'deep.er: not even',
      field: 'deep.er',
      details: [
        { path: '/deep/er', message: 'not even' },
        { path: '', message: 'odd' },
      ],
    });
    expect(faultsText(error)).toBe('deep.er: not even; odd');
  });

  it('names no field when the first issue is about the whole value', () => {
    const error = thrownBy(() => standardSchema(z.strictObject({})).parse({ extra: 1 }));

    expect(error).toBeInstanceOf(ValidationError);
    expect(error).not.toHaveProperty('field');
  });

  it('refuses a schema that validates asynchronously', () => {
    const slow = z.string().refine(async () => false);

    expect(() => standardSchema(slow).parse('x')).toThrow(/asynchronously/);
  });

  it('leaves no unhandled rejection behind when it refuses', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const rejecting = {
      '~standard': { ...even['~standard'], validate: async () => Promise.reject(new Error('late')) },
    };

    expect(() => standardSchema(rejecting, {}).parse(1)).toThrow(ValidationError);
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
  });

  it('is what zodSchema is', () => {
    expect(zodSchema).toBe(standardSchema);
  });
});

describe('toSchema', () => {
  it('gives a Schema back as it is', () => {
    const schema = { json: {}, parse: (value: unknown) => value };

    expect(toSchema(schema)).toBe(schema);
  });

  it('adapts a Standard Schema, also one that is a function', () => {
    const callable = Object.assign(() => undefined, even);

    expect(toSchema(even).parse(2)).toBe(1);
    expect(toSchema(callable).parse(2)).toBe(1);
  });

  it.each([null, undefined, 'string', {}, { json: {} }, { parse: () => 1 }])('refuses %j', (value) => {
    expect(() => toSchema(value as never)).toThrow(ValidationError);
  });
});
