import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { anthropicSchema, geminiSchema, openaiSchema } from './provider-schema.ts';

const text = { type: 'string' };
const never = JSON.parse('{"then":false}'); // an object with `then` in the source is taken for a promise
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const strict = (property: object) => {
  const { properties } = openaiSchema({ ...object({ a: property }), $defs: { text } }, true);
  return (properties as { a: unknown }).a;
};
const at = (pointer: string, keyword: string) => expect.objectContaining({ details: { pointer, keyword } });

describe('a schema that is true or false, or as good as that', () => {
  it.each<[string, object, object]>([
    [
      'an object closed by a schema',
      { type: 'object', additionalProperties: { not: {} } },
      { additionalProperties: false },
    ],
    ['an array that may hold nothing', { type: 'array', items: false }, { maxItems: 0 }],
    ['a choice that nothing fits', { anyOf: [text, false, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
    ['a reference to any value', object({ a: { $ref: '#/$defs/any' } }), { properties: { a: {} } }],
    [
      'a reference to any value beside a type',
      { ...text, anyOf: [{ $ref: '#/$defs/any' }, { enum: ['a'] }] },
      { anyOf: [text, { ...text, enum: ['a'] }] },
    ],
    ['a condition without a question', { ...text, ...never, else: { maxLength: 1 } }, {}],
  ])('is sent without it: %s', (_, schema, expected) => {
    const { type, ...sent } = geminiSchema({ ...schema, $defs: { any: true } });

    expect(sent).toEqual(expected);
    expect(type).toBe('anyOf' in expected ? undefined : (schema as { type: string }).type);
  });

  it('may be the root, where it accepts anything, and is refused where it accepts nothing', () => {
    expect(geminiSchema({ $ref: '#/$defs/any', description: 'd', $defs: { any: true } })).toEqual({ description: 'd' });
    expect(() => geminiSchema({ $ref: '#/$defs/none', $defs: { none: false } })).toThrow(at('', 'allOf'));
    expect(() => geminiSchema({ ...object({ a: { $ref: '#/$defs/none' } }), $defs: { none: false } })).toThrow(
      at('/properties/a', 'not'),
    );
  });

  it('is told in words where a question stands before the condition', () => {
    expect(geminiSchema({ ...text, if: { const: 'a' }, ...never })).toEqual({
      ...text,
      description: '{if: {"const":"a"}, then: false}',
    });
  });
});

describe('what stands beside choices', () => {
  it('is not repeated where a reference says it already', () => {
    const schema = { ...text, anyOf: [{ $ref: '#/$defs/t' }, { ...text, enum: ['b'] }], $defs: { t: text } };

    expect(geminiSchema(schema)).toEqual({
      anyOf: [{ $ref: '#/$defs/t' }, { ...text, enum: ['b'] }],
      $defs: { t: text },
    });
  });
});

describe('an optional property of a strict schema', () => {
  it.each<[string, object, object]>([
    [
      'every part of an intersection accepts it',
      { allOf: [true, { type: ['string', 'null'] }] },
      { type: ['string', 'null'] },
    ],
    [
      'a reference accepts it',
      { anyOf: [{ $ref: '#/$defs/text' }, { type: 'null' }] },
      { anyOf: [{ $ref: '#/$defs/text' }, { type: 'null' }] },
    ],
  ])('is not made to accept null twice where %s', (_, schema, sent) => {
    expect(strict(schema)).toEqual(sent);
  });

  it.each<[string, object, object]>([
    ['no choice does', { anyOf: [false, text] }, { type: ['string', 'null'] }],
    [
      'a part of an intersection does not',
      { allOf: [text, { type: ['string', 'null'] }] },
      { type: ['string', 'null'] },
    ],
  ])('is made to accept null where %s', (_, schema, sent) => {
    expect(strict(schema)).toEqual(sent);
  });
});

describe('a reference', () => {
  it.each([
    ['by a name', '#text', '"#text", which is not there'],
    ['with an escape that is none', '#/%zz', '"#/%zz", which is not there'],
    ['to what is not there', '#/$defs/none/at/all', 'which is not there'],
    ['to another document', 'other.json', 'outside of the schema'],
    ['that is no text', 7, 'outside of the schema'],
    ['to itself alone', '#/$defs/self', 'refers to nothing but itself'],
  ])('%s is refused', (_, $ref, reason) => {
    const schema = { ...object({ a: { $ref } }), $defs: { text, self: { $ref: '#/$defs/self' } } };

    expect(() => geminiSchema(schema)).toThrow(ValidationError);
    expect(() => geminiSchema(schema)).toThrow(reason);
  });
});

describe('two definitions that refer to each other', () => {
  const a = object({ b: { $ref: '#/$defs/b' } }, ['b']);
  const b = object({ a: { $ref: '#/$defs/a' }, text }, ['a', 'text']);
  const schema = { ...object({ a: { $ref: '#/$defs/a' } }, ['a']), $defs: { a, b } };

  it('are refused where a service takes no recursion', () => {
    expect(() => anthropicSchema(schema)).toThrow(at('/$defs/a/properties/b', '$ref'));
  });

  it('do so through optional properties where a service takes it there alone, and what leads to them is required still', () => {
    expect(geminiSchema(schema)).toEqual({
      ...schema,
      $defs: { a: { ...a, required: [] }, b: { ...b, required: ['text'] } },
    });
  });
});
