import type { JsonSchema } from '@x/core';
import { isRecord } from '@x/errors';

/** Allowed in every schema. */
const NOTES = ['title', 'description', 'default'];
const KNOWN: ReadonlySet<string> = new Set([
  ...NOTES,
  ...'format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength'.split(' '),
  ...'minItems maxItems type properties required additionalProperties items enum const anyOf oneOf $ref $defs'.split(
    ' ',
  ),
]);
const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
/** Well below the limits in the services' guides. */
const LIMITS = { levels: 10, listed: 250, characters: 50_000 } as const;

/**
 * True when services can enforce the schema during generation: an object of named properties at all levels, and not too large. Records,
 * tuples, values of any type and conditions cannot be enforced. When in doubt false: the answer is checked anyway.
 */
export function canBeStrict(schema: JsonSchema): boolean {
  const search = { root: schema, listed: 0 };
  if (schema['type'] !== 'object' || !isNarrow(schema, 0, search)) return false;
  return search.listed <= LIMITS.listed && JSON.stringify(schema).length <= LIMITS.characters;
}

interface Search {
  readonly root: JsonSchema;
  /** Number of values in all lists so far. */
  listed: number;
}

function isNarrow(schema: unknown, level: number, search: Search): boolean {
  if (!isRecord(schema) || level > LIMITS.levels || Object.keys(schema).some((key) => !KNOWN.has(key))) return false;
  const { $ref, $defs = {}, anyOf, oneOf } = schema;
  if (!isRecord($defs) || (level > 0 && schema['$defs'])) return false;
  if (!Object.values($defs).every((part) => isRecord(part) && !part['$ref'] && isNarrow(part, level + 1, search)))
    return false;
  if (anyOf !== undefined || oneOf !== undefined) {
    const choices = anyOf ?? oneOf;
    if (!stands(schema, anyOf === undefined ? 'oneOf' : 'anyOf') || !Array.isArray(choices)) return false;
    return choices.length > 0 && choices.every((choice) => isNarrow(choice, level + 1, search));
  }
  if ($ref !== undefined) return stands(schema, '$ref') && isKnown($ref, search);
  return isLiteral(schema, search) ?? isTyped(schema, level, search);
}

/** True when there are only annotations next to these keywords. */
function stands(schema: JsonSchema, ...keywords: readonly string[]): boolean {
  return Object.keys(schema).every((key) => keywords.includes(key) || NOTES.includes(key));
}

/** Undefined for a schema that lists no values. */
function isLiteral(schema: JsonSchema, search: Search): boolean | undefined {
  const { enum: list, const: value, type } = schema;
  if (list === undefined && value === undefined) return undefined;
  const values: unknown = list ?? [value];
  if (!stands(schema, 'type', list === undefined ? 'const' : 'enum')) return false;
  if (!Array.isArray(values) || values.length === 0) return false;
  search.listed += values.length;
  return values.every((one) => isPlain(one) && (type === undefined || type === (one === null ? 'null' : typeof one)));
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isTyped(schema: JsonSchema, level: number, search: Search): boolean {
  const { type, properties, required = [], additionalProperties = false, items } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.length === 0 || !types.every((one) => TYPES.has(one))) return false;
  const isObject = !types.includes('object') || (additionalProperties === false && isRecord(properties));
  if (!isObject || !Array.isArray(required)) return false;
  const parts = types.includes('array') ? [items] : [];
  if (types.includes('object') && isRecord(properties)) {
    if (!required.every((name) => Object.hasOwn(properties, String(name)))) return false;
    parts.push(...Object.values(properties));
  }
  return parts.every((part) => isNarrow(part, level + 1, search));
}

function isKnown($ref: unknown, { root }: Search): boolean {
  if ($ref === '#') return true;
  const name = typeof $ref === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec($ref)?.[1] : undefined;
  return name !== undefined && isRecord(root['$defs']) && Object.hasOwn(root['$defs'], name);
}
