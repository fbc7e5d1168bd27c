// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/json-schema-verdicts.ts';
import { ValidationError } from '../errors.ts';

describe('jsonSchema with a schema that has faults', () => {
  it.each<[unknown, string, RegExp]>([
    [{ minlength: 1 }, '/minlength', /no keyword.*did you mean minLength/],
    [{ properties: { 'a/b': { foo: 1 } } }, '/properties/a~1b/foo', /no keyword/],
    [{ items: [{}] }, '/items', /prefixItems/],
    [{ additionalItems: false }, '/additionalItems', /items beside prefixItems/],
    [{ format: 'postcode' }, '/format', /unknown format postcode/],
    [{ then: {} }, '/then', /does nothing without if/],
    [{ if: {} }, '/if', /does nothing without then or else/],
    [{ minContains: 1 }, '/minContains', /does nothing without contains/],
    [{ contains: {}, minContains: 0 }, '/minContains', /makes contains do nothing/],
    [{ contains: {}, minContains: 2, maxContains: 1 }, '/maxContains', /below minContains/],
    [{ nullable: true }, '/nullable', /without type/],
    [{ enum: [] }, '/enum', /list of values/],
    [{ type: 'text' }, '/type', /must be one of/],
    [{ required: ['a', 'a'] }, '/required', /without repetition/],
    [{ minLength: -1 }, '/minLength', /whole number/],
    [{ multipleOf: 0 }, '/multipleOf', /above 0/],
    [{ pattern: '(?=a)' }, '/pattern', /look-around/],
    [{ patternProperties: { '(': {} } }, '/patternProperties', /no regular expression/],
    [{ $ref: '#/$defs/a' }, '/$ref', /no schema is/],
    [{ $ref: '#a' }, '/$ref', /anchor a/],
    [{ $ref: 'https://example.com/x' }, '/$ref', /remote references are not loaded/],
    [{ $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, '/$defs/b/$id', /two schemas/],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', /other drafts/],
    [{ allOf: [] }, '/allOf', /list of schemas/],
    [{ properties: { a: 1 } }, '/properties', /object of schemas/],
  ])('refuses %j, and names %s', (schema, pointer, text) => {
    expect(refusal(schema)).toBeInstanceOf(ValidationError);
    expect(refusal(schema)).toMatchObject({ details: [{ path: pointer, message: expect.stringMatching(text) }] });
  });

  it('finds the faults of definitions that nothing uses, and tells all', () => {
    expect(refusal({ $defs: { a: { foo: 1 } }, bar: 1 })).toMatchObject({
      details: [{ path: '/$defs/a/foo' }, { path: '/bar' }],
    });
  });
});
