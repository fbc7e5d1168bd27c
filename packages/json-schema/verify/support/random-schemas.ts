// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
/** Schemas and values that meet each other often: few names, few values, every keyword. */
export type Random = () => number;
export type RandomSchema = boolean | Record<string, unknown>;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NAMES = ['a', 'b', 'ab', 'c', 'toString', 'constructor', 'x/y~z'];
const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'b1',
  '1',
  'é',
  '\u{1f600}',
  '\u{1f600}\u{1f600}',
  '2024-02-29',
  'a@b.cd',
  '10.0.0.1',
];
const NUMBERS = [0, 1, 2, 3, -1, 0.5, 1.5, 2.5, 10, 1e3, -0, 1e21, 0.1, 0.3];
const PATTERNS = ['^a', 'b$', '^[a-c]+$', '^\\d{1,3}$', '.', '^$', '[^a]', 'a|b', '^\\w+$', '^.{2}$', '^(ab?)+$'];
const FORMATS = ['date', 'email', 'ipv4', 'uuid', 'json-pointer', 'int32', 'regex', 'uri-reference', 'hostname'];
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!; // never past the end
}

/** A value of JSON, at most so deep. */
export function randomValue(random: Random, depth = 3): unknown {
  const roll = random();
  if (roll < 0.22) return pick(random, TEXTS);
  if (roll < 0.42) return pick(random, NUMBERS);
  if (roll < 0.5) return pick(random, [true, false, null]);
  if (depth === 0) return pick(random, [[], {}, 'a', 1]);
  const length = Math.floor(random() * 4);
  if (roll < 0.7) return Array.from({ length }, () => randomValue(random, depth - 1));
  return recordOf(Array.from({ length }, () => [pick(random, NAMES), randomValue(random, depth - 1)]));
}

function recordOf(entries: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

/** A schema that ajv compiles in its strict mode, but for what the two may refuse. */
export function randomSchema(random: Random, definitions: readonly string[]): RandomSchema {
  const root = schemaAt(random, 3, definitions);
  if (typeof root === 'boolean') return root;
  const $defs = Object.fromEntries(definitions.map((name) => [name, schemaAt(random, 2, definitions)]));
  return definitions.length === 0 ? root : { ...root, $defs };
}

type Make = (random: Random, below: () => RandomSchema, definitions: readonly string[]) => Record<string, unknown>;

function schemaAt(random: Random, depth: number, definitions: readonly string[]): RandomSchema {
  const roll = random();
  if (roll < 0.05) return roll < 0.03;
  const below = () =>
    depth === 0
      ? pick<RandomSchema>(random, [true, { type: pick(random, TYPES) }, false])
      : schemaAt(random, depth - 1, definitions);
  const schema: Record<string, unknown> = {};
  const count = 1 + Math.floor(random() * 3);
  for (let made = 0; made < count; made++) Object.assign(schema, pick(random, MAKERS)(random, below, definitions));
  return schema;
}

const small: Make = (random) => ({ n: Math.floor(random() * 4) });
const count = (random: Random) => Number(small(random, () => true, [])['n']);
const some = <T>(random: Random, make: () => T): T[] => Array.from({ length: 1 + Math.floor(random() * 3) }, make);
const names = (random: Random) => [...new Set(some(random, () => pick(random, NAMES)))];
const schemas = (random: Random, below: () => RandomSchema) => recordOf(names(random).map((name) => [name, below()]));

const MAKERS: readonly Make[] = [
  (random) => ({ type: pick(random, TYPES) }),
  (random) => ({ type: [...new Set([pick(random, TYPES), pick(random, TYPES)])] }),
  (random) => ({ type: pick(random, TYPES), nullable: random() < 0.8 }),
  (random) => ({ enum: some(random, () => randomValue(random, 1)) }),
  (random) => ({ const: randomValue(random, 1) }),
  (random) => ({ minimum: pick(random, NUMBERS) }),
  (random) => ({ maximum: pick(random, NUMBERS) }),
  (random) => ({ exclusiveMinimum: pick(random, NUMBERS), exclusiveMaximum: 3 }),
  (random) => ({ multipleOf: pick(random, [1, 2, 0.5, 0.1, 0.25]) }),
  (random) => ({ minLength: count(random) }),
  (random) => ({ maxLength: count(random) }),
  (random) => ({ pattern: pick(random, PATTERNS) }),
  (random) => ({ format: pick(random, FORMATS) }),
  (random, below) => ({ items: below() }),
  (random, below) => ({ prefixItems: some(random, below) }),
  (random, below) => ({ prefixItems: some(random, below), items: below() }),
  (random) => ({ minItems: count(random), maxItems: 1 + count(random) }),
  () => ({ uniqueItems: true }),
  (random, below) => ({ contains: below() }),
  (random, below) => ({ contains: below(), minContains: count(random), maxContains: 3 }),
  (random, below) => ({ properties: schemas(random, below) }),
  (random, below) => ({ properties: schemas(random, below), required: names(random) }),
  (random, below) => ({ properties: schemas(random, below), additionalProperties: below() }),
  (random, below) => ({ patternProperties: { [pick(random, PATTERNS)]: below() }, additionalProperties: below() }),
  (random) => ({ required: names(random) }),
  (random, below) => ({ propertyNames: below() }),
  (random) => ({ minProperties: count(random), maxProperties: 1 + count(random) }),
  (random) => ({ dependentRequired: { [pick(random, NAMES.slice(0, 4))]: names(random) } }),
  (random, below) => ({ dependentSchemas: { [pick(random, NAMES.slice(0, 4))]: below() } }),
  (random, below) => ({ dependencies: { a: random() < 0.5 ? names(random) : below() } }),
  (random, below) => ({ allOf: some(random, below) }),
  (random, below) => ({ anyOf: some(random, below) }),
  (random, below) => ({ oneOf: some(random, below) }),
  (random, below) => ({ not: below() }),
  (random, below) => ({ if: below(), then: below(), else: below() }),
  (random, below) => ({ if: below(), ...(random() < 0.5 ? { then: below() } : { else: below() }) }),
  (random, below) => ({ unevaluatedProperties: random() < 0.7 ? false : below() }),
  (random, below) => ({ unevaluatedItems: random() < 0.7 ? false : below() }),
  (random, below) => ({ properties: schemas(random, below), unevaluatedProperties: false, anyOf: some(random, below) }),
  (random, below, definitions) =>
    definitions.length === 0 ? { allOf: [below()] } : { $ref: `#/$defs/${pick(random, definitions)}` },
  () => ({ title: 't', description: 'd', examples: [1], deprecated: true, $comment: 'c', contentEncoding: 'base64' }),
];
