// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/json-schema-verdicts.ts';
import { jsonSchema } from './json-schema.ts';

describe('jsonSchema with defaults', () => {
  it('returns a value that lacks no default as it is', () => {
    const value = { a: [1] };

    expect(jsonSchema({ properties: { a: { default: [] } } }).parse(value)).toBe(value);
  });

  it('fills in defaults below properties, items, allOf and references, in a copy', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: {
        own: { type: 'array', default: [1] },
        kids: { type: 'array', items: { $ref: '#' } },
        deep: { properties: { x: { default: 1 } } },
      },
      allOf: [{ properties: { more: { default: 'm' } } }],
      required: ['own'],
    });
    const value = Object.freeze({ kids: Object.freeze([Object.freeze({ own: [] })]), deep: {} });

    const [first, second] = [schema.parse(value), schema.parse(value)] as { own: number[] }[];
    first!.own.push(2);

    expect(second).toEqual({ own: [1], kids: [{ own: [], more: 'm' }], deep: { x: 1 }, more: 'm' });
    expect(value).toEqual({ kids: [{ own: [] }], deep: {} });
  });

  it('leaves defaults of branches alone', () => {
    const branch = { properties: { a: { default: 1 } } };

    expect(jsonSchema({ anyOf: [branch], if: branch, then: branch }).parse({})).toEqual({});
  });

  it('refuses a default that does not fit', () => {
    expect(refusal({ properties: { a: { type: 'string', default: 1 } } })).toMatchObject({
      details: [{ path: '/properties/a/default', message: expect.stringContaining('does not fit') }],
    });
  });
});
