import { isRecord } from '@x/errors';
import type { JsonSchema } from '@x/json-schema';

const NOT_PLAIN = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref'];
/** What stands here is data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/** Whether models take the schema as the input of a tool. */
export function isPlainObject(json: JsonSchema): boolean {
  return json['type'] === 'object' && NOT_PLAIN.every((keyword) => !Object.hasOwn(json, keyword));
}

/** An object with the schema as its only property, `input`. Definitions stay at the root, so that references hold. */
export function wrappedJson(json: JsonSchema): JsonSchema {
  const { $schema: _, $defs: definitions, ...rest } = json;
  // The references of a schema with an identity of its own are about itself.
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

/** The same, with references to the old root, and to places in it, led to where they are now. */
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
