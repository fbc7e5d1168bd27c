import { describe, expect, it } from 'vitest';
import { objectRoot } from './object-root.ts';

describe('objectRoot', () => {
  it('leaves an object as it is', () => {
    const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };

    expect(objectRoot(schema)).toEqual({ schema, isWrapped: false });
    expect(objectRoot(schema).schema).toBe(schema);
  });

  it.each([
    { type: 'array', items: { type: 'string' } },
    { type: 'string' },
    { anyOf: [{ type: 'object' }, { type: 'object' }] },
    { type: 'object', oneOf: [{ required: ['a'] }] },
    {},
  ])('makes %j the value of an object', (schema) => {
    expect(objectRoot(schema)).toEqual({
      schema: { type: 'object', properties: { value: schema }, required: ['value'], additionalProperties: false },
      isWrapped: true,
    });
  });

  it('keeps definitions at the root, and references to where they point', () => {
    const { schema } = objectRoot({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { leaf: { type: 'string' }, $ref: { const: { $ref: '#' } } },
      type: 'array',
      items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/leaf' }, { $ref: '#/items/anyOf/1' }, { $ref: 'other#' }] },
    });

    expect(schema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { leaf: { type: 'string' }, $ref: { const: { $ref: '#' } } },
      type: 'object',
      properties: {
        value: {
          type: 'array',
          items: {
            anyOf: [
              { $ref: '#/properties/value' },
              { $ref: '#/$defs/leaf' },
              { $ref: '#/properties/value/items/anyOf/1' },
              { $ref: 'other#' },
            ],
          },
        },
      },
      required: ['value'],
      additionalProperties: false,
    });
  });
});
