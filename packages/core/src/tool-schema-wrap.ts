import { isRecord } from '@x/errors';
import type { JsonSchema } from '@x/json-schema';

const NOT_PLAIN = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref'];
/** Keywords that contain data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/** True when models accept the schema as the input of a tool. */
export function isPlainObject(json: JsonSchema): boolean {
  return json['type'] === 'object' && NOT_PLAIN.every((keyword) => !Object.hasOwn(json, keyword));
}

/** An object with the schema as its only property, `input`. Definitions stay at the root, so that references stay valid. */
export function wrappedJson(json: JsonSchema): JsonSchema {
  const { $schema: _, $defs: definitions, ...rest } = json;
  // The references of a schema with its own `$id` are relative to itself.
  const own = json['$id'] !== undefined;
  const input = own ? { ...rest, ...(definitions === undefined ? {} : { $defs: definitions }) } : moved(rest);
  return {
    type: 'object',
    properties: { input },
    required: ['input'],
    additionalProperties: false,
    ...(own || definitions === undefined ? {} : { $defs: moved(definitions) }),
  };
}

/** The same value, with references to the old root, and to places in it, changed to the new one. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, one]) => {
      if (keyword === '$ref' && typeof one === 'string') return [keyword, movedReference(one)];
      return [keyword, DATA.has(keyword) ? one : moved(one)];
    }),
  );
}

function movedReference(reference: string): string {
  if (reference !== '#' && !reference.startsWith('#/')) return reference;
  return reference.startsWith('#/$defs/') ? reference : `#/properties/input${reference.slice(1)}`;
}
