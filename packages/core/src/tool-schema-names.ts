import { isRecord } from '@x/errors';
import type { JsonSchema } from '@x/json-schema';

/** Keywords by which a schema itself decides about properties that it does not name. */
const DECIDING = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];
const BRANCHES = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', '$ref', 'dependentSchemas'] as const;

/** The properties that a schema names at its root; undefined when it names none, or decides itself about others. */
export function declaredNames(root: JsonSchema): ReadonlySet<string> | undefined {
  if (!isRecord(root['properties'])) return undefined;
  const names = new Set<string>();
  const visited = new Set<unknown>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (!isRecord(schema) || visited.has(schema)) continue;
    visited.add(schema);
    if (DECIDING.some((keyword) => schema[keyword] !== undefined)) return undefined;
    for (const name of Object.keys(recordOf(schema['properties']))) names.add(name);
    for (const keyword of BRANCHES) waiting.push(...below(schema[keyword], keyword, root));
  }
  return names;
}

function below(value: unknown, keyword: (typeof BRANCHES)[number], root: JsonSchema): unknown[] {
  if (keyword === '$ref') return [definitionOf(value, root)];
  if (keyword === 'dependentSchemas') return Object.values(recordOf(value));
  return Array.isArray(value) ? value : [value];
}

/** The same schema; if its root is only a reference to one of its definitions, that definition. */
export function rootOf(json: JsonSchema): JsonSchema {
  const { $ref: reference, $defs: definitions, ...rest } = json;
  const target = definitionOf(reference, json);
  const only = new Set(['title', 'description', '$schema', '$comment', 'definitions']);
  if (!isRecord(target) || target['$id'] !== undefined || !Object.keys(rest).every((name) => only.has(name)))
    return json;
  const $defs = { ...recordOf(definitions), ...recordOf(target['$defs']) };
  return { ...target, ...rest, ...(rest['definitions'] === undefined || definitions !== undefined ? { $defs } : {}) };
}

function definitionOf(reference: unknown, root: JsonSchema): unknown {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String(reference)) ?? [];
  const definitions = recordOf(root[keyword]);
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
