import { fc, test } from '@fast-check/vitest';
import { faultsText, ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { type Field, objectSchema } from './object-schema.ts';

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('objectSchema', () => {
  it('writes the fields as JSON Schema', () => {
    const schema = objectSchema({
      path: { type: 'string', description: 'where' },
      limit: { type: 'integer', description: 'how many', optional: true, minimum: 1, maximum: 9 },
    });

    expect(schema.json).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'where' },
        limit: { type: 'integer', description: 'how many', minimum: 1, maximum: 9 },
      },
      required: ['path'],
      additionalProperties: false,
    });
  });

  it('finds a required toString missing in {}', () => {
    const schema = objectSchema({ toString: { type: 'string', description: 'd' } });

    expect(() => schema.parse({})).toThrow('toString is required');
    expect(schema.parse({ toString: 'own' })).toEqual({ toString: 'own' });
  });

  it('refuses what it does not know, toString and __proto__ included', () => {
    const schema = objectSchema({ a: { type: 'string', description: 'd' } });

    expect(() => schema.parse({ a: 'x', b: 1 })).toThrow('b is not known; known are a');
    expect(() => schema.parse({ a: 'x', toString: 1 })).toThrow('toString is not known');
    expect(() => schema.parse(JSON.parse('{"a":"x","__proto__":{}}'))).toThrow('__proto__ is not known');
  });

  it('has the first fault as message and field, all in its details', () => {
    const schema = objectSchema({
      a: { type: 'string', description: 'd' },
      b: { type: 'integer', description: 'd', minimum: 2 },
    });

    const error = thrownBy(() => schema.parse({ b: 1, c: true }));

    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      field: 'a',
      message: 'a is required',
      details: [{ path: '/a' }, { path: '/b' }, { path: '/c' }],
    });
    expect(faultsText(error)).toBe('a is required; b must be at least 2; c is not known; known are a, b');
  });

  it.each([null, undefined, 'x', 1, [], true])('refuses %j, which is no object', (value) => {
    expect(() => objectSchema({}).parse(value)).toThrow('The input must be an object');
  });

  it('leaves an undefined optional field absent', () => {
    const schema = objectSchema({ a: { type: 'string', description: 'd', optional: true } });

    expect(Object.keys(schema.parse({ a: undefined }))).toEqual([]);
  });

  it('holds lists of objects, and names the place of a fault', () => {
    const schema = objectSchema({
      list: { type: 'array', description: 'd', maxItems: 2, items: { 'a/b': { type: 'string', description: 'e' } } },
    });

    const error = thrownBy(() => schema.parse({ list: [{ 'a/b': 'x' }, { 'a/b': 1, c: 2 }] }));

    expect(schema.parse({ list: [{ 'a/b': 'x' }] })).toEqual({ list: [{ 'a/b': 'x' }] });
    expect(error).toMatchObject({
      message: 'list.1.a/b must be a string',
      details: [{ path: '/list/1/a~1b' }, { path: '/list/1/c' }],
    });
    expect(() => schema.parse({ list: [{}, {}, {}] })).toThrow('list must be a list of at most 2');
    expect(schema.json['properties']).toEqual({
      list: {
        type: 'array',
        description: 'd',
        maxItems: 2,
        items: {
          type: 'object',
          properties: { 'a/b': { type: 'string', description: 'e' } },
          required: ['a/b'],
          additionalProperties: false,
        },
      },
    });
  });

  it('returns a copy', () => {
    const value = { a: 'x' };

    const parsed = objectSchema({ a: { type: 'string', description: 'd' } }).parse(value);

    expect(parsed).toEqual(value);
    expect(parsed).not.toBe(value);
  });
});

describe('objectSchema accepts a value if and only if the reference does', () => {
  test.prop([fieldsAndValue()], { numRuns: 500 })('for any fields and any value', ({ fields, value }) => {
    const before = structuredClone(value);

    const error = thrownBy(() => objectSchema(fields).parse(value));

    expect(error === undefined).toBe(fits(value, fields));
    expect(error === undefined || error instanceof ValidationError).toBe(true);
    expect(value).toEqual(before);
  });

  test.prop([fieldsAndValue()], { numRuns: 200 })('and what it returns is accepted again, unchanged', (pair) => {
    const accepted = fits(pair.value, pair.fields);
    fc.pre(accepted);
    const schema = objectSchema(pair.fields);

    const once = schema.parse(pair.value);

    expect(schema.parse(once)).toEqual(once);
  });
});

/** JSON Schema read word for word, one rule a line. */
function fits(value: unknown, fields: Record<string, Field>): boolean {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const given = new Map(Object.entries(value as object));
  const known = new Map(Object.entries(fields));
  if ([...given.keys()].some((name) => !known.has(name))) return false;
  return [...known].every(([name, field]) => {
    const item: unknown = given.get(name);
    if (item === undefined) return field.optional === true;
    if (field.type === 'string') return typeof item === 'string' && (!field.enum || field.enum.includes(item));
    if (field.type === 'boolean') return item === true || item === false;
    if (field.type === 'array') {
      const { items } = field;
      const isItem = (one: unknown) => (items === 'string' ? typeof one === 'string' : fits(one, items));
      return Array.isArray(item) && item.length <= field.maxItems && item.every(isItem);
    }
    if (typeof item !== 'number' || Number.isNaN(item) || Math.abs(item) === Infinity) return false;
    if (field.type === 'integer' && Math.trunc(item) !== item) return false;
    return !(item < (field.minimum ?? -Infinity)) && !(item > (field.maximum ?? Infinity));
  });
}

function fieldsAndValue() {
  const name = fc.constantFrom('a', 'b', 'c', 'toString', 'constructor', 'length');
  const optional = fc.constantFrom<{ optional?: true }>({}, { optional: true });
  const description = fc.constant({ description: 'd' });
  const bound = fc.integer({ min: -3, max: 3 });
  const flat: fc.Arbitrary<Field> = fc.oneof(
    fc.tuple(optional, description).map(([o, d]) => ({ type: 'string' as const, ...o, ...d })),
    fc.tuple(optional, description).map(([o, d]) => ({ type: 'string' as const, enum: ['x', 'y'], ...o, ...d })),
    fc.tuple(optional, description).map(([o, d]) => ({ type: 'boolean' as const, ...o, ...d })),
    fc
      .tuple(fc.constantFrom('number' as const, 'integer' as const), optional, description, bound, bound)
      .map(([type, o, d, minimum, maximum]) => ({ type, ...o, ...d, minimum, maximum })),
    fc.tuple(optional, description).map(([o, d]) => ({ type: 'number' as const, ...o, ...d })),
  );
  const list = fc
    .tuple(
      optional,
      description,
      fc.nat(2),
      fc.oneof(fc.constant('string' as const), fc.dictionary(name, flat, { noNullPrototype: true, maxKeys: 2 })),
    )
    .map(([o, d, maxItems, items]): Field => ({ type: 'array', ...o, ...d, maxItems, items }));
  const field = fc.oneof({ weight: 5, arbitrary: flat }, { weight: 1, arbitrary: list });
  const item = fc.oneof(
    fc.array(fc.dictionary(name, fc.constantFrom('x', 1, true, undefined), { noNullPrototype: true }), {
      maxLength: 3,
    }),
    fc.constantFrom('x', 'y', 'z', '', true, false, null, undefined, [], {}, '1', NaN, Infinity, -0),
    fc.array(fc.constantFrom('x', 1), { maxLength: 3 }),
    bound,
    fc.double({ min: -4, max: 4 }),
  );
  const value = fc.oneof(
    { weight: 20, arbitrary: fc.dictionary(name, item, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined, [], 'x', 1) },
  );
  return fc.record({ fields: fc.dictionary(name, field, { noNullPrototype: true }), value });
}
