import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultsOf, thrownBy, verdicts } from '../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

describe('jsonSchema', () => {
  it('tells every fault, with its place and what would have fitted', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b': { type: 'string' }, list: { type: 'array', items: { type: 'integer', minimum: 1 } } },
      required: ['a/b', 'gone'],
      additionalProperties: false,
    };

    expect(faultsOf(schema, { 'a/b': 1, list: [0, 2, 'x'], more: 1 })).toEqual([
      { path: '/a~1b', message: 'Invalid type for parameter a/b: expected string', expected: 'string' },
      { path: '/list/0', message: 'Invalid value for parameter list.0: expected at least 1', expected: 'at least 1' },
      { path: '/list/2', message: 'Invalid type for parameter list.2: expected integer', expected: 'integer' },
      { path: '/gone', message: 'Required parameter missing: gone', expected: 'a value' },
      {
        path: '/more',
        message: 'Unknown parameter: more',
        expected: 'one of the names a/b, list, gone',
      },
    ]);
  });

  it('throws them as one error, whose field is the first', () => {
    const schema = jsonSchema({ type: 'object', properties: { user: { properties: { name: { type: 'string' } } } } });

    expect(thrownBy(() => schema.parse({ user: { name: 1 } }))).toMatchObject({
      name: 'ValidationError',
      field: 'user.name',
      details: [{ path: '/user/name', expected: 'string' }],
    });
  });

  it('tells a hundred faults at most, or as many as one says', () => {
    const schema = { items: { type: 'string' } };
    const numbers = Array.from({ length: 1_000 }, (_, at) => at);

    expect(faultsOf(schema, numbers)).toHaveLength(100);
    expect(jsonSchema(schema, { maxIssues: 3 }).check(numbers).issues).toHaveLength(3);
  });

  it('refuses options that it does not know', () => {
    expect(() => jsonSchema({}, { maxIsues: 1 } as never)).toThrow(/unknown maxIsues; did you mean maxIssues/);
    expect(() => jsonSchema({}, { maxIssues: 0 })).toThrow(ValidationError);
  });

  it('counts characters by code points', () => {
    expect(verdicts({ minLength: 2, maxLength: 2 }, ['\u{1f600}', '\u{1f600}a', 'ab', 'abc', '\ud83d\ud83d'])).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  it('compares by value: numbers, and objects whatever the order of their keys', () => {
    expect(verdicts({ enum: [{ a: 1, b: [2] }, 0] }, [{ b: [2], a: 1 }, -0, { a: 1 }, '0', [0]])).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(
      verdicts({ uniqueItems: true }, [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [1, true, '1', [1], '[1]'],
      ]),
    ).toEqual([false, true]);
  });

  it('takes what draft-07 has left where its meaning is the same', () => {
    const schema = { definitions: { a: { type: 'string' } }, properties: { x: { $ref: '#/definitions/a' } } };

    expect(verdicts(schema, [{ x: 'a' }, { x: 1 }])).toEqual([true, false]);
    expect(
      verdicts({ dependencies: { a: ['b'], c: { required: ['d'] } } }, [{ a: 1 }, { a: 1, b: 1 }, { c: 1 }]),
    ).toEqual([false, true, false]);
  });

  it('is not changed by what is done to the schema afterwards', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const compiled = jsonSchema(schema);
    schema.properties.a.type = 'number';

    expect(compiled.check({ a: 'x' }).issues).toBeUndefined();
    expect(compiled.json).toMatchObject({ properties: { a: { type: 'string' } } });
  });

  it('tells the faults of the only branch of the right type', () => {
    const schema = {
      anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }],
    };

    expect(faultsOf(schema, { a: 'x' })).toMatchObject([{ path: '/a', expected: 'number' }]);
    expect(faultsOf(schema, 1)).toMatchObject([{ path: '', expected: 'string or object' }]);
  });

  it('reads what zod writes', () => {
    const { $schema: _, ...json } = z.toJSONSchema(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a'), when: z.iso.datetime() }),
        z.strictObject({ kind: z.literal('b'), tags: z.record(z.string(), z.number()), pair: z.tuple([z.string()]) }),
      ]),
    );

    expect(
      verdicts(json, [
        { kind: 'a', when: '2024-01-01T00:00:00Z' },
        { kind: 'b', tags: { x: 1 }, pair: ['p'] },
        { kind: 'a', when: 'x' },
        { kind: 'b', tags: { x: 'y' }, pair: ['p'] },
      ]),
    ).toEqual([true, true, false, false]);
  });
});
