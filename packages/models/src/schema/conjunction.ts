import { isObject, isRecord } from '@x/errors';
import { ANNOTATIONS, listOf, own, type SchemaNode, typesOf } from './schema-node.ts';

type Fields = Record<string, unknown>;

/** Keywords whose meaning depends on others in the same schema. */
const TOGETHER = [
  ['contains', 'minContains', 'maxContains'],
  ['if', 'then', 'else'],
];

/**
 * Joins two schemas into one that accepts the values that both accept, if keywords can be joined exactly. Returns the name of a keyword
 * that cannot.
 */
export function conjunction(one: SchemaNode, other: SchemaNode): SchemaNode | string {
  const obstacle = closedAgainst(one, other) ?? closedAgainst(other, one) ?? takenApart(one, other);
  if (obstacle !== undefined) return obstacle;
  const joined: Fields = { ...one };
  for (const keyword of Object.keys(other)) {
    const [mine, theirs] = [own(one, keyword), own(other, keyword)];
    if (mine === undefined) put(joined, keyword, theirs);
    else if (!ANNOTATIONS.has(keyword) && theirs !== undefined && !same(mine, theirs)) {
      const both = join(keyword, one, other);
      if (both === undefined) return keyword;
      put(joined, keyword, both);
    }
  }
  return joined;
}

/**
 * A closed object, or an array with listed items, also judges names that only the other schema has: only the names of both can be joined.
 */
function closedAgainst(one: SchemaNode, other: SchemaNode): string | undefined {
  for (const [keyword, names] of [
    ['additionalProperties', 'properties'],
    ['items', 'prefixItems'],
  ] as const) {
    const rest = own(one, keyword);
    if (rest === undefined || rest === true) continue;
    const known = own(one, names);
    const named = Object.keys(own(other, names) ?? {});
    if (named.some((name) => !isObject(known) || !Object.hasOwn(known, name))) return keyword;
    const patterns = keyword === 'additionalProperties' ? own(other, 'patternProperties') : undefined;
    if (patterns !== undefined && !same(patterns, own(one, 'patternProperties'))) return keyword;
  }
  return undefined;
}

/** Keywords present in only one of the schemas, or with different values, would change their meaning when joined. */
function takenApart(one: SchemaNode, other: SchemaNode): string | undefined {
  return TOGETHER.find((keywords) => {
    const [mine, theirs] = [one, other].map((node) => keywords.map((keyword) => own(node, keyword)));
    const isInBoth = [mine, theirs].every((values) => values?.some((value) => value !== undefined));
    return isInBoth && !same(mine, theirs);
  })?.[0];
}

function join(keyword: string, one: SchemaNode, other: SchemaNode): unknown {
  const [mine, theirs] = [one[keyword], other[keyword]];
  if (keyword === 'type') return joinedTypes(typesOf(one) ?? [], typesOf(other) ?? []);
  if (keyword === 'required') return [...new Set([...listOf(mine), ...listOf(theirs)])];
  if (keyword === 'allOf') return [...listOf(mine), ...listOf(theirs)];
  if (keyword === 'enum') {
    const common = listOf(mine).filter((value) => listOf(theirs).some((other) => same(value, other)));
    return common.length === 0 ? undefined : common;
  }
  if (keyword === 'properties' && isRecord(mine) && isRecord(theirs)) return joinedProperties(mine, theirs);
  if (keyword === 'items') return { allOf: [mine, theirs] };
  if (typeof mine !== 'number' || typeof theirs !== 'number') return undefined;
  if (/^(?:exclusiveM|m)in/.test(keyword)) return Math.max(mine, theirs);
  return /^(?:exclusiveM|m)ax/.test(keyword) ? Math.min(mine, theirs) : undefined;
}

function joinedTypes(mine: readonly string[], theirs: readonly string[]): string | string[] | undefined {
  const fits = (type: string, types: readonly string[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  const all = new Set([...mine.filter((type) => fits(type, theirs)), ...theirs.filter((type) => fits(type, mine))]);
  const [first, ...rest] = all;
  return rest.length === 0 ? first : [...all];
}

function joinedProperties(mine: SchemaNode, theirs: SchemaNode): SchemaNode {
  const joined: Fields = { ...mine };
  for (const [name, schema] of Object.entries(theirs)) {
    const before = own(mine, name);
    const both = before === undefined || same(before, schema) ? schema : { allOf: [before, schema] };
    put(joined, name, both);
  }
  return joined;
}

/** Not an assignment, which would change the prototype for the name `__proto__`. */
function put(fields: Fields, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}

function same(one: unknown, other: unknown): boolean {
  return process.getBuiltinModule('node:util').isDeepStrictEqual(one, other); // its import would load what nobody here needs
}
