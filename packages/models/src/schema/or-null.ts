import { present } from '@x/core/internal';
import { isRecord } from '@x/errors';
import type { References } from './references.ts';
import { listOf, own, type SchemaNode, typesOf } from './schema-node.ts';

const LISTS = ['anyOf', 'oneOf'];

/** Makes a converted schema accept null as well. */
export function orNull(sent: SchemaNode): SchemaNode {
  const { title, description, ...rest } = sent;
  const types = typesOf(sent);
  const values = own(sent, 'enum');
  if (Array.isArray(own(sent, 'anyOf'))) return { ...sent, anyOf: [...listOf(sent['anyOf']), { type: 'null' }] };
  const scalar =
    types?.every((type) => type !== 'object' && type !== 'array') === true && !Object.hasOwn(sent, 'const');
  if (!scalar) {
    return { ...present({ title, description }), anyOf: [rest, { type: 'null' }] };
  }
  return { ...sent, type: [...types, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** True when an original schema accepts null already. */
export function acceptsNull(
  schema: unknown,
  references: References,
  pointer: string,
  seen: Set<unknown> = new Set(),
): boolean {
  if (!isRecord(schema)) return schema === true;
  if (seen.has(schema)) return true; // it adds nothing to what is asked already
  seen.add(schema);
  const accepts = (part: unknown) => acceptsNull(part, references, pointer, seen);
  const types = typesOf(schema);
  if (types && !types.includes('null')) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false;
  if (Object.hasOwn(schema, 'const') && schema['const'] !== null) return false;
  if (own(schema, '$ref') !== undefined && !accepts(references.resolve(schema['$ref'], pointer).schema)) return false;
  for (const list of LISTS) if (Array.isArray(own(schema, list)) && !listOf(schema[list]).some(accepts)) return false;
  return listOf(own(schema, 'allOf')).every(accepts);
}
