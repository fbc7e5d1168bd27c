import { objectSchema, standardSchema } from '@x/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkedFormat, type OutputFormat } from './output-format.ts';

const schema = z.object({ summary: z.string(), tags: z.array(z.string()).optional() });
const format: OutputFormat = { type: 'json_schema', schema };

describe('checkedFormat', () => {
  it('has a name and a JSON Schema, of what the parser takes', () => {
    const { request } = checkedFormat({
      ...format,
      schema: z.object({ n: z.string().transform(Number), d: z.int().default(1) }),
    });

    expect(request).toEqual({
      name: 'output',
      strict: true,
      schema: {
        type: 'object',
        properties: { n: { type: 'string' }, d: expect.objectContaining({ type: 'integer', default: 1 }) },
        required: ['n'],
      },
    });
  });

  it('is strict where that can be, unless it is told', () => {
    const loose = z.object({ scores: z.record(z.string(), z.number()) });
    const strictOf = (more: Partial<OutputFormat>) => checkedFormat({ ...format, ...more }).request.strict;

    expect([strictOf({}), strictOf({ schema: loose })]).toEqual([true, false]);
    expect([strictOf({ strict: false }), strictOf({ schema: loose, strict: true })]).toEqual([false, true]);
  });

  it.each(['a', 'AnalysisResult', 'a-b_c-9', 'x'.repeat(64)])('takes the name %s', (name) => {
    expect(checkedFormat({ ...format, name }).request.name).toBe(name);
  });

  it.each([
    ['a Schema', objectSchema({ a: { type: 'string', description: 'A.' } })],
    ['a schema with a JSON Schema of its own', standardSchema(z.custom<string>(), { type: 'object', properties: {} })],
  ])('takes %s', (_, own) => {
    expect(checkedFormat({ ...format, schema: own }).request.schema).toMatchObject({ type: 'object' });
  });

  it.each<[string, unknown]>([
    ['outputFormat', undefined],
    ['outputFormat', null],
    ['outputFormat', 'json'],
    ['outputFormat', [format]],
    ['outputFormat.type', { schema }],
    ['outputFormat.type', { ...format, type: 'json' }],
    ['outputFormat.schema', { type: 'json_schema' }],
    ['outputFormat.schema', { ...format, schema: { type: 'object', properties: {} } }],
    ['outputFormat.schema', { ...format, schema: 'string' }],
    ['outputFormat.schema', { ...format, schema: z.object({ at: z.date() }) }],
    ['outputFormat.schema', { ...format, schema: { json: 7, parse: () => 1 } }],
    ['outputFormat.name', { ...format, name: '' }],
    ['outputFormat.name', { ...format, name: 'a b' }],
    ['outputFormat.name', { ...format, name: 'x'.repeat(65) }],
    ['outputFormat.name', { ...format, name: 7 }],
    ['outputFormat.strict', { ...format, strict: 'yes' }],
  ])('names %s as what is wrong with %j', (field, given) => {
    expect(() => checkedFormat(given as OutputFormat)).toThrow(
      expect.objectContaining({ name: 'ValidationError', field }),
    );
  });

  it('names the option that is meant by an unknown one', () => {
    const given = { ...format, shema: schema } as OutputFormat;

    expect(() => checkedFormat(given)).toThrow(expect.objectContaining({ field: 'outputFormat.shema' }));
    expect(() => checkedFormat(given)).toThrow('did you mean schema?');
  });

  it('says why there is no JSON Schema', () => {
    const bare = { '~standard': { version: 1, vendor: 'bare', validate: () => ({ value: 1 }) } } as const;

    expect(() => checkedFormat({ ...format, schema: bare })).toThrow(/outputFormat.schema.*bare schema offers no JSON/);
    expect(() => checkedFormat({ ...format, schema: z.object({ at: z.date() }) })).toThrow(/Date/);
  });
});
