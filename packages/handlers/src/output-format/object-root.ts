import type { JsonSchema } from '@x/core';

/** A schema that services accept at the root of an answer. */
export interface ObjectRoot {
  readonly schema: JsonSchema;
  /** True when the answer is the member `value` of an object, because its own schema is not that of one object. */
  readonly isWrapped: boolean;
}

/** Keywords that make a root object something else, such as a union of objects. */
const NOT_ONE_OBJECT = ['anyOf', 'oneOf', 'allOf', '$ref'];
/** Definitions stay at the root, which references are resolved against. */
const AT_THE_ROOT: ReadonlySet<string> = new Set(['$schema', '$id', '$defs', 'definitions']);
/** Keywords that contain values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
const TO_DEFINITION = /^#\/(?:\$defs|definitions)(?:\/|$)/;

/** Wraps a list, a union or a primitive as the member `value` of an object: some services accept only an object at the root. */
export function objectRoot(schema: JsonSchema): ObjectRoot {
  const isObject = schema['type'] === 'object' && !NOT_ONE_OBJECT.some((key) => Object.hasOwn(schema, key));
  if (isObject) return { schema, isWrapped: false };
  const moved = repointed(schema) as JsonSchema; // an object stays one
  const root: Record<string, unknown> = {};
  const value: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(moved)) (AT_THE_ROOT.has(key) ? root : value)[key] = part;
  return {
    schema: { ...root, type: 'object', properties: { value }, required: ['value'], additionalProperties: false },
    isWrapped: true,
  };
}

/** A copy whose references to the root, or into it, point to its new place. */
function repointed(schema: unknown, key = ''): unknown {
  if (key === '$ref' && typeof schema === 'string') return newPlace(schema);
  if (typeof schema !== 'object' || schema === null || VALUES.has(key)) return schema;
  if (Array.isArray(schema)) return schema.map((part) => repointed(part));
  return Object.fromEntries(
    // names of properties and definitions are not keywords
    Object.entries(schema).map(([name, part]) => [name, repointed(part, isNames(key) ? '' : name)]),
  );
}

function isNames(key: string): boolean {
  return ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].includes(key);
}

function newPlace(pointer: string): string {
  const isInside = pointer === '#' || (pointer.startsWith('#/') && !TO_DEFINITION.test(pointer));
  return isInside ? `#/properties/value${pointer.slice(1)}` : pointer;
}
