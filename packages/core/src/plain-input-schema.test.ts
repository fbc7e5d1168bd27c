import { ValidationError } from '@x/errors';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { thrownBy } from '../test/thrown-by.ts';
import { defineTool, isTool, type ToolDefinition } from './define-tool.ts';
import { standardSchema } from './schema.ts';

const city = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', default: 3 } },
  required: ['city'],
};
const toolWith = (inputSchema: unknown) =>
  defineTool({ name: 'weather', description: 'd', inputSchema, execute: async () => '' } as ToolDefinition);
const refusalOf = (inputSchema: unknown) => thrownBy(() => toolWith(inputSchema));

describe('a JSON Schema as the input schema of a tool', () => {
  it('is compiled, closed and shown to models', () => {
    const { inputSchema } = toolWith(city);
    const { $schema: _, ...json } = city;

    expect(inputSchema.json).toEqual(json);
    expect(inputSchema.parse({ city: 'Oslo' })).toEqual({ city: 'Oslo', days: 3 });
    expect(thrownBy(() => inputSchema.parse({ town: 'Oslo' }))).toMatchObject({
      message: 'Required parameter missing: city',
      details: [{ path: '/city' }, { path: '/town' }],
    });
  });

  it.each<[string, unknown, good: unknown, bad: unknown]>([
    ['properties alone', { properties: { a: { type: 'string' } } }, { input: { a: 'x' } }, { input: { a: 1 } }],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }] }, { input: 1 }, { input: true }],
    [
      'a reference',
      {
        $ref: '#/definitions/a',
        definitions: { a: { type: 'object', properties: city.properties, required: ['city'] } },
      },
      { city: 'x' },
      {},
    ],
    ['true', true, { input: 1 }, {}],
    ['false', false, {}, { input: 1 }],
    [
      'a property named parse',
      { type: 'object', properties: { parse: { type: 'string' } } },
      { parse: 'x' },
      { parse: 1 },
    ],
  ])('may be %s', (_, schema, good, bad) => {
    const { inputSchema } = toolWith(schema);
    const isRefused = (value: unknown) => thrownBy(() => inputSchema.parse(value)) instanceof ValidationError;

    expect(isRefused(bad)).toBe(true);
    expect(isRefused(good)).toBe(schema === false);
  });

  it('is the host`s own, so its slips are refused, with the tool, the field and all places', () => {
    expect(refusalOf({ type: 'object', properties: { a: { type: 'strng', minlength: 1 } } })).toMatchObject({
      message: expect.stringMatching(/^Tool weather: inputSchema: JSON Schema: \/properties\/a\/type must be one of/),
      field: 'inputSchema',
      details: [{ path: '/properties/a/type' }, { path: '/properties/a/minlength' }],
    });
  });

  it('is copied: a later change by its owner changes no verdict', () => {
    const own = structuredClone(city);
    const { inputSchema } = toolWith(own);
    own.properties.city.minLength = 99;

    expect(() => inputSchema.parse({ city: 'Oslo' })).not.toThrow();
    expect(() => toolWith(own).inputSchema.parse({ city: 'Oslo' })).toThrow('at least 99 characters');
  });

  it('makes a definition, and no tool yet', () => {
    const definition = { name: 'a', description: 'd', parallelSafe: true, inputSchema: city, execute: async () => '' };

    expect(isTool(definition)).toBe(false);
    expect(isTool(defineTool(definition))).toBe(true);
  });
});

describe('an input schema that is none', () => {
  it.each([null, undefined, 'object', {}, [], { a: z.string() }, { parse: () => 1 }, { json: {} }])(
    'is refused with the tool and the field: %j',
    (schema) => {
      expect(refusalOf(schema)).toMatchObject({
        name: 'ValidationError',
        message: expect.stringMatching(/^Tool weather: inputSchema must be a zod 4 schema, any Standard Schema that/),
        field: 'inputSchema',
      });
    },
  );

  it.each<[string, unknown, RegExp]>([
    [
      'valibot',
      v.object({ a: v.string() }),
      /The valibot schema offers .*standardSchema\(schema, json\).*jsonSchema\(/,
    ],
    [
      'zod/mini',
      mini.object({ a: mini.string() }),
      /with zod\/mini pass standardSchema\(schema, z\.toJSONSchema\(schema\)\)/,
    ],
    [
      'a bare Standard Schema',
      { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } },
      /The own schema offers .*standardSchema\(schema, json\).*jsonSchema\(/,
    ],
  ])('is told at once how %s becomes one', (_, schema, hint) => {
    expect(refusalOf(schema)).toMatchObject({ message: expect.stringMatching(hint), field: 'inputSchema' });
    expect(refusalOf(schema)).toMatchObject({ message: expect.stringMatching(/^Tool weather: inputSchema: /) });
  });

  it('is what the hint makes of it', () => {
    const schema = mini.object({ a: mini.string() });
    const tool = toolWith(standardSchema(schema, mini.toJSONSchema(schema)));

    expect(tool.inputSchema.parse({ a: 'x' })).toEqual({ a: 'x' });
    expect(() => tool.inputSchema.parse({ a: 1 })).toThrow(ValidationError);
  });
});
