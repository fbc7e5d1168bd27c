// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

const foreign = (schema: object) => jsonSchema({ ...schema }, { foreign: true });
const isValid = (schema: object, value: unknown) => foreign(schema).check(value).issues === undefined;

const NOTHING_IS_BAD = Symbol('any value fits');

describe('jsonSchema of others', () => {
  it.each<[object, path: string, text: RegExp, good: unknown, bad: unknown]>([
    [{ type: 'string', 'x-ui': 'area' }, '/x-ui', /not a keyword/, 'a', 1],
    [{ type: 'string', example: 'a' }, '/example', /OpenAPI/, 'a', 1],
    [
      { properties: { a: { type: 'string', discriminator: {} } } },
      '/properties/a/discriminator',
      /OpenAPI/,
      {},
      { a: 1 },
    ],
    [{ type: 'string', format: 'starts_with' }, '/format', /unknown format/, 'a', 1],
    [{ type: 'string', pattern: '^(?=a)' }, '/pattern', /look-around/, 'b', 1],
    [{ type: 'string', pattern: '(?i)a' }, '/pattern', /not a regular expression/, 'b', 1],
    [{ type: 'string', pattern: 'x{900}{5}' }, '/pattern', /is refused/, 'b', 1],
    [{ type: 'string', then: {} }, '/then', /does nothing without if/, 'a', 1],
    [{ nullable: true, enum: ['a'] }, '/nullable', /does nothing without type/, 'a', null],
    [{ contains: {}, minContains: 0 }, '/minContains', /makes contains do nothing/, [], NOTHING_IS_BAD],
    [{ contains: {}, minContains: 2, maxContains: 1 }, '/maxContains', /below minContains/, {}, [1]],
    [{ minimum: 0, exclusiveMinimum: true }, '/exclusiveMinimum', /as draft-04/, 1, 0],
    [{ maximum: 9, exclusiveMaximum: false }, '/exclusiveMaximum', /as draft-04/, 9, 10],
    [{ title: null, type: 'string' }, '/title', /must be a text/, 'a', 1],
    [{ examples: { a: { value: 1 } }, type: 'string' }, '/examples', /must be a list/, 'a', 1],
    [{ readOnly: 'yes', type: 'string' }, '/readOnly', /must be true or false/, 'a', 1],
    [{ items: {}, additionalItems: false }, '/additionalItems', /items next to prefixItems/, [1], NOTHING_IS_BAD],
  ])('takes %j and notes %s', (schema, path, text, good, bad) => {
    expect(foreign(schema).notes).toEqual([{ path, message: expect.stringMatching(text) }]);
    expect(isValid(schema, good)).toBe(true);
    expect(isValid(schema, bad)).toBe(NOTHING_IS_BAD === bad);
    expect(refusal(schema)).toMatchObject({ details: expect.arrayContaining([expect.objectContaining({ path })]) });
  });

  it('does not fill in a default that does not fit, and fills in the others', () => {
    const properties = { a: { type: 'string', default: null }, b: { type: 'string', default: 'x' } };
    const schema = foreign({ type: 'object', properties });

    expect(schema.parse({})).toEqual({ b: 'x' });
    expect(schema.closed().parse({})).toEqual({ b: 'x' });
    expect(schema.notes).toMatchObject([{ path: '/properties/a/default' }]);
    expect(refusal({ properties })).toMatchObject({ details: [{ path: '/properties/a/default' }] });
  });

  it('leaves to its owner what a pattern that is not judged may mean', () => {
    const schema = {
      patternProperties: { '^(?!x)': { type: 'string' }, '^y': { type: 'number' } },
      additionalProperties: false,
    };

    expect(isValid(schema, { a: 1, x: 1, y: 1 })).toBe(true);
    expect(isValid(schema, { y: 'a' })).toBe(false);
    expect(isValid({ patternProperties: { '^(?!x)': {} }, unevaluatedProperties: false }, { a: 1 })).toBe(true);
  });

  it('reads lists of items, and fragments as identities, without a $schema', () => {
    const schema = {
      definitions: { a: { $id: '#a', type: 'string' } },
      items: [{ $ref: '#a' }],
      additionalItems: false,
    };

    expect([['x'], [1], ['x', 'y']].map((value) => isValid(schema, value))).toEqual([true, false, false]);
    expect(foreign(schema).notes).toEqual([]);
  });

  it.each<[object, path: string]>([
    [{ $ref: 'https://example.com/x' }, '/$ref'],
    [{ $ref: '#/$defs/gone' }, '/$ref'],
    [{ allOf: [{ $ref: '#' }] }, '/allOf/0/$ref'],
    [{ type: 'text' }, '/type'],
    [{ properties: { a: 1 } }, '/properties'],
    [{ minLength: '1' }, '/minLength'],
    [{ pattern: 1 }, '/pattern'],
    [{ enum: [] }, '/enum'],
    [{ $schema: 'https://example.com/dialect' }, '/$schema'],
  ])('refuses what changes its meaning: %j', (schema, path) => {
    expect(() => foreign(schema)).toThrow(expect.objectContaining({ details: [expect.objectContaining({ path })] }));
  });

  it('notes nothing of a schema without such things, and no more than a hundred', () => {
    const odd = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, at]));

    expect(foreign({ type: 'object', properties: { a: { type: 'string', default: 'x' } } }).notes).toEqual([]);
    expect(jsonSchema(true, { foreign: true }).notes).toEqual([]);
    expect(foreign(odd).notes).toHaveLength(100);
  });

  it('is strict unless told otherwise', () => {
    expect(() => jsonSchema({ 'x-ui': 1 }, { foreign: false })).toThrow(/not a keyword/);
    expect(() => jsonSchema({}, { foreign: 'yes' as never })).toThrow(/foreign must be true or false/);
  });
});
