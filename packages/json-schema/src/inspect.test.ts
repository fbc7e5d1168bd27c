// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema

import { ValidationError, type ValidationIssue } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/json-schema-verdicts.ts';

describe('jsonSchema with a schema that has faults', () => {
  it.each<[unknown, string, RegExp]>([
    [{ minlength: 1 }, '/minlength', /not a keyword.*did you mean minLength/],
    [{ properties: { 'a/b': { foo: 1 } } }, '/properties/a~1b/foo', /not a keyword/],
    [{ items: [{}] }, '/items', /prefixItems/],
    [{ additionalItems: false }, '/additionalItems', /items next to prefixItems/],
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
    [{ patternProperties: { '(': {} } }, '/patternProperties', /not a regular expression/],
    [{ $ref: '#/$defs/a' }, '/$ref', /no schema is/],
    [{ $ref: '#a' }, '/$ref', /anchor a/],
    [{ $ref: 'https://example.com/x' }, '/$ref', /remote references are not loaded/],
    [{ $defs: { a: { $id: 'x' }, b: { $id: 'x' } } }, '/$defs/b/$id', /two schemas/],
    [{ $schema: 'https://example.com/dialect' }, '/$schema', /other dialects are not read/],
    [{ $schema: 'http://json-schema.org/draft-03/schema#' }, '/$schema', /a draft from 04 on/],
    [{ $defs: { a: { $schema: 'http://json-schema.org/draft-07/schema#' } } }, '/$defs/a/$schema', /at the root/],
    [{ allOf: [] }, '/allOf', /list of schemas/],
    [{ properties: { a: 1 } }, '/properties', /object of schemas/],
    [{ addition: 1 }, '/addition', /did you mean additionalProperties\?$/],
    [{ discriminator: {} }, '/discriminator', /OpenAPI; give each schema of oneOf a const/],
    [{ format: 1 }, '/format', /must be a text/],
    [{ type: [] }, '/type', /or a list of them without repetition/],
    [{ type: ['string', 'text'] }, '/type', /or a list of them without repetition/],
    [{ type: ['string', 'string'] }, '/type', /or a list of them without repetition/],
    [{ $vocabulary: [] }, '/$vocabulary', /object of true and false/],
    [{ $vocabulary: { 'https://example.com/v': 1 } }, '/$vocabulary', /object of true and false/],
    [{ pattern: '^[b-a]$' }, '/pattern', /is not a regular expression/],
    [{ $ref: '#%' }, '/$ref', /is not a URI reference/],
    [{ $ref: 'http://[' }, '/$ref', /is not a URI reference/],
    [{ $id: 'http://[' }, '/$id', /makes no URI; give an absolute one/],
    [{ $id: 'urn:a', $defs: { b: { $id: 'b' } } }, '/$defs/b/$id', /makes no URI from urn:a; give an absolute one/],
    [{ $ref: '#/type/0', type: ['string'] }, '/$ref', /leads to \/type\/0, where no schema is/],
    [
      { $defs: { a: { $anchor: 'x' }, b: { $dynamicAnchor: 'x' } } },
      '/$defs/b/$dynamicAnchor',
      /anchor of two schemas/,
    ],
    [{ dependencies: { a: ['b', 'b'] } }, '/dependencies', /schemas or lists of names/],
    [{ dependentRequired: { a: 'b' } }, '/dependentRequired', /lists of names/],
    [{ $id: 'a#b' }, '/$id', /without a fragment/],
    [{ $anchor: '1' }, '/$anchor', /a name of letters/],
  ])('refuses %j, and names %s', (schema, pointer, text) => {
    expect(refusal(schema)).toBeInstanceOf(ValidationError);
    expect(refusal(schema)).toMatchObject({ details: [{ path: pointer, message: expect.stringMatching(text) }] });
  });

  it('finds the faults of definitions that nothing uses, and tells all', () => {
    expect(refusal({ $defs: { a: { foo: 1 } }, bar: 1 })).toMatchObject({
      details: [{ path: '/$defs/a/foo' }, { path: '/bar' }],
    });
  });

  it('takes what only describes, and one schema with the same anchor twice', () => {
    const schema = {
      $vocabulary: { 'https://example.com/v': true, 'https://example.com/w': false },
      type: ['string', 'null'],
      $anchor: 'x',
      $dynamicAnchor: 'x',
      $defs: { a: { $id: 'inner', $anchor: 'x' } },
    };

    expect(refusal(schema)).toBeUndefined();
  });

  it('tells a hundred faults at most, of references and of lonely keywords too', () => {
    const pathsOf = (schema: object) => (refusal(schema).details as ValidationIssue[]).map(({ path }) => path);
    const lonely = { then: {}, else: {}, minContains: 1 };
    const odd = { allOf: Array.from({ length: 50 }, () => lonely) };
    const lost = { allOf: Array.from({ length: 150 }, () => ({ $ref: '#/gone' })) };

    expect([pathsOf(odd).length, pathsOf(odd).at(-1)]).toEqual([100, '/allOf/33/then']);
    expect([pathsOf(lost).length, pathsOf(lost).at(-1)]).toEqual([100, '/allOf/99/$ref']);
  });
});
