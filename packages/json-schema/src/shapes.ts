import { isRecord } from '@x/errors';
import { formats } from './formats.ts';
import type { Shape } from './keywords.ts';

const TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** The fault of a keyword's value; undefined for a valid one. Schemas below it are not checked. */
export function faultOf(shape: Shape, value: unknown): string | undefined {
  const wanted = SIMPLE[shape];
  return !wanted || wanted[0](value) ? undefined : `must be ${wanted[1]}`;
}

/** The fault of an unknown format; undefined for a known one. */
export function unknownFormat(name: string): string | undefined {
  return formats.has(name)
    ? undefined
    : `names the unknown format ${name}; known are ${[...formats.keys()].join(', ')}`;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isSchema = (value: unknown) => typeof value === 'boolean' || isRecord(value);
const isSchemas = (value: unknown) => isRecord(value) && Object.values(value).every(isSchema);
const isTypes = (value: unknown) =>
  Array.isArray(value)
    ? value.length > 0 && value.every((one) => TYPES.includes(one)) && new Set(value).size === value.length
    : TYPES.includes(value);

type Wanted = readonly [fits: (value: unknown) => boolean, shown: string];
const SIMPLE: Readonly<Partial<Record<Shape, Wanted>>> = {
  schema: [isSchema, 'a schema: an object, true or false'],
  schemas: [(value) => Array.isArray(value) && value.length > 0 && value.every(isSchema), 'a list of schemas'],
  pattern: [isText, 'a text'],
  format: [isText, 'a text'],
  patternMap: [isSchemas, 'an object of schemas'],
  schemaMap: [isSchemas, 'an object of schemas'],
  dependencies: [
    (value) => isRecord(value) && Object.values(value).every((one) => isSchema(one) || isNames(one)),
    'an object of schemas or lists of names',
  ],
  types: [isTypes, `one of ${TYPES.join(', ')}, or a list of them without repetition`],
  count: [isCount, 'a whole number, 0 or more'],
  number: [Number.isFinite, 'a number'],
  positive: [(value) => Number.isFinite(value) && (value as number) > 0, 'a number above 0'],
  boolean: [isBoolean, 'true or false'],
  flag: [isBoolean, 'true or false'],
  text: [isText, 'a text'],
  names: [isNames, 'a list of names without repetition'],
  nameLists: [(value) => isRecord(value) && Object.values(value).every(isNames), 'an object of lists of names'],
  values: [(value) => Array.isArray(value) && value.length > 0, 'a list of values'],
  list: [Array.isArray, 'a list'],
  identifier: [(value) => isText(value) && /^[^#]*#?$/.test(value), 'a URI reference without a fragment'],
  anchor: [
    (value) => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
    'a name of letters, digits, -, _ and .',
  ],
  reference: [isText, 'a URI reference'],
  dialect: [
    (value) => isText(value) && DIALECT.test(value),
    'https://json-schema.org/draft/2020-12/schema, or at the root a draft from 04 on; other dialects are not read',
  ],
  vocabulary: [(value) => isRecord(value) && Object.values(value).every(isBoolean), 'an object of true and false'],
};
