import {
  faultsText,
  issuesError,
  pointerPart,
  shownNames,
  shownPath,
  unknownParameter,
  ValidationError,
} from '@x/errors';
import { jsonSchema, type Schema } from '@x/json-schema';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { thrownBy } from '../test/thrown-by.ts';
import { objectSchema } from './object-schema.ts';
import { toToolSchema } from './tool-schema.ts';

const issue = (path: string, message: string) => ({ path, message });
const size = (error: unknown) => JSON.stringify(error).length + faultsText(error).length;

describe('issuesError', () => {
  it('has the message and the field of the first fault, and all of them as details', () => {
    const issues = [issue('/a/b', 'first'), issue('', 'second')];
    const error = issuesError(issues);

    expect(error).toMatchObject({ message: 'first', field: 'a.b', details: issues });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: 'first', details: issues });
    expect(issuesError([])).toMatchObject({ message: '', details: [] });
  });
});

describe('shownPath', () => {
  it('has no name for the whole, and cuts the names of a long pointer', () => {
    expect([shownPath(''), shownPath('/a/0')]).toEqual(['', 'a.0']);
    expect(shownPath(`/${'x'.repeat(200)}/b`)).toBe(`${'x'.repeat(100)}....b`);
  });
});

describe('faultsText', () => {
  it('is the text of every fault, for whoever mends all at once', () => {
    expect(faultsText(issuesError([issue('/a', 'first'), issue('', 'second')]))).toBe('first; second');
    expect(faultsText(issuesError([issue('/a', 'only')]))).toBe('only');
    expect(faultsText(new ValidationError('plain', 'a'))).toBe('plain');
    expect(faultsText(new Error('any'))).toBe('any');
    expect(faultsText(null)).toBe('Unknown error');
  });

  it.each<[string, Schema, unknown, RegExp]>([
    ['zod', toToolSchema(z.object({ a: z.string(), b: z.number() })), { a: 1 }, /^a: [^;]+; b: [^;]+$/],
    [
      'zod with an unknown name',
      toToolSchema(z.object({ a: z.string() })),
      { a: 1, c: 1 },
      /^a: .+; Unknown parameter: c$/,
    ],
    [
      'a union',
      toToolSchema(jsonSchema({ type: 'array', items: { type: 'string' } })),
      { input: [1, 2] },
      /^input: .+0.+; .+1/,
    ],
  ])('keeps what an adapted schema says of all: %s', (_, schema, value, text) => {
    const error = thrownBy(() => schema.parse(value)) as ValidationError;

    expect(faultsText(error)).toMatch(text);
    expect(error.message).not.toContain(';');
  });
});

describe('what errors show', () => {
  const many = Array.from({ length: 30_000 }, (_, at) => `name-${at}`);
  const properties = Object.fromEntries(many.map((name) => [name, {}]));
  const unknown = Object.fromEntries(many.map((name) => [`x${name}`, 1]));
  const huge = 'n'.repeat(1_000_000);
  const fields = Object.fromEntries(many.map((name) => [name, { type: 'string', description: 'd', optional: true }]));

  it('is a hundred names of a hundred characters, and the number of the others', () => {
    expect(shownNames(['a', 'b'])).toBe('a, b');
    expect(shownNames(many)).toMatch(/^name-0, .*, name-99, 29900 more$/);
    expect(shownNames([huge])).toBe(`${'n'.repeat(100)}...`);
    expect(unknownParameter(huge, []).message).toBe(`Unknown parameter: ${'n'.repeat(100)}...`);
    expect(pointerPart(huge)).toHaveLength(1_003);
    expect(pointerPart('n'.repeat(1_000))).toHaveLength(1_000);
  });

  it.each<[string, Schema, unknown]>([
    ['JSON Schema, closed', jsonSchema({ properties, additionalProperties: false }), unknown],
    [
      'JSON Schema, unevaluated',
      jsonSchema({ properties, unevaluatedProperties: false }),
      { ...properties, ...unknown },
    ],
    ['a tool', toToolSchema({ json: { type: 'object', properties }, parse: (value: unknown) => value }), unknown],
    ['a flat object', objectSchema(fields as never), unknown],
    [
      'names of a megabyte',
      jsonSchema({ properties: {}, additionalProperties: false }),
      { [huge]: 1, [`${huge}x`]: 1 },
    ],
    ['names in a name rule', jsonSchema({ propertyNames: { maxLength: 1 } }), { [huge]: 1 }],
    ['a long list of values', jsonSchema({ items: { enum: many } }), Array.from({ length: 200 }, () => 'x')],
    ['a value of a megabyte', jsonSchema({ items: { enum: [huge, 'a'] } }), [1, 2]],
    [
      'a deep place',
      jsonSchema({ properties: { [huge]: { properties: { [huge]: { type: 'string' } } } } }),
      { [huge]: { [huge]: 1 } },
    ],
  ])('stays within two megabytes: %s', (_, schema, value) => {
    expect(size(thrownBy(() => schema.parse(value)))).toBeLessThan(2_000_000);
  });
});
