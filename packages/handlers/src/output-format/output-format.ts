import {
  type AnyStandardSchema,
  type JsonSchema,
  knownNames,
  type ModelRequest,
  type Schema,
  toSchema,
  ValidationError,
} from '@x/core';
import { canBeStrict } from './can-be-strict.ts';
import { objectRoot } from './object-root.ts';

/** What can say which answers fit: zod 4, any Standard Schema that offers JSON Schema, or a `Schema`. */
export type OutputSchema = Schema | AnyStandardSchema;
/** The form in which an agent is to answer. */
export interface OutputFormat<S extends OutputSchema = OutputSchema> {
  readonly type: 'json_schema';
  /** The model is shown its JSON Schema, the answer is parsed by the schema itself: defaults, refinements and transforms hold. */
  readonly schema: S;
  /** What the service calls it; default `output`. `^[A-Za-z0-9_-]{1,64}$` */
  readonly name?: string;
  /**
   * Whether the service is to hold the model to the schema while it writes, where it has a mode for that. Default: where every service
   * can. With `true` a schema that OpenAI or Anthropic have no words for is refused by the first model call, with its place and keyword.
   */
  readonly strict?: boolean;
}
/** An output format, checked. */
export interface CheckedFormat {
  /** What every request carries: one object, because adapters cache by identity. */
  readonly request: NonNullable<ModelRequest['outputFormat']>;
  readonly schema: OutputSchema;
  /** The JSON Schema of `schema`. */
  readonly json: JsonSchema;
  /** The schema of the request has it as the member `value` of an object. */
  readonly isWrapped: boolean;
}

const KNOWN: readonly string[] = ['type', 'schema', 'name', 'strict'];
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws ValidationError naming the field that does not fit */
export function checkedFormat(format: OutputFormat): CheckedFormat {
  if (typeof format !== 'object' || format === null || Array.isArray(format)) {
    throw new ValidationError("outputFormat must be { type: 'json_schema', schema }", 'outputFormat');
  }
  const odd = Object.keys(format).find((key) => !KNOWN.includes(key));
  if (odd !== undefined) throw wrong(odd, `is not known; ${knownNames(odd, KNOWN)}`);
  const { type, schema, name = 'output', strict } = format;
  if (type !== 'json_schema') throw wrong('type', `must be 'json_schema', not ${JSON.stringify(type)}`);
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw wrong('name', `must match ${NAME.source}, which ${JSON.stringify(name)} does not`);
  }
  if (strict !== undefined && typeof strict !== 'boolean') throw wrong('strict', 'must be true or false');
  const json = jsonOf(schema);
  const root = objectRoot(json);
  const request = { name, schema: root.schema, strict: strict ?? canBeStrict(root.schema) };
  return { request, schema, json, isWrapped: root.isWrapped };
}

function jsonOf(schema: OutputSchema): JsonSchema {
  if (!isSchema(schema)) {
    throw wrong('schema', 'must be a zod 4 schema, any Standard Schema, or a Schema with json and parse');
  }
  let json: JsonSchema;
  try {
    json = toSchema(schema).json;
  } catch (cause) {
    const error = wrong('schema', `has no JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`);
    error.cause = cause;
    throw error;
  }
  if (typeof json !== 'object' || json === null) throw wrong('schema', 'must offer its JSON Schema as an object');
  return json;
}

function isSchema(schema: unknown): boolean {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const { parse } = schema as { readonly parse?: unknown };
  return '~standard' in schema || ('json' in schema && typeof parse === 'function');
}

function wrong(field: string, duty: string): ValidationError {
  return new ValidationError(`outputFormat.${field} ${duty}`, `outputFormat.${field}`);
}
