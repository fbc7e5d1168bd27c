import { type JsonSchema, type ModelRequest, type Schema, ValidationError } from '@x/core';
import { type AnyStandardSchema, messageOf, toSchema } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
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

const FORMAT = is.required(
  is.nested<OutputFormat>(
    {
      type: is.required(is.oneOf('json_schema')),
      schema: is.required(is.rule('a zod 4 schema, any Standard Schema, or a Schema with json and parse', isSchema)),
      name: is.rule(
        'a text that matches ^[A-Za-z0-9_-]{1,64}$',
        (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value),
      ),
      strict: is.flag,
    },
    "{ type: 'json_schema', schema }",
  ),
);

/** @throws ValidationError naming the field that does not fit */
export function checkedFormat(format: OutputFormat): CheckedFormat {
  checkValue('outputFormat', format, FORMAT);
  const { schema, name = 'output', strict } = format;
  const json = jsonOf(schema);
  const root = objectRoot(json);
  const request = { name, schema: root.schema, strict: strict ?? canBeStrict(root.schema) };
  return { request, schema, json, isWrapped: root.isWrapped };
}

function jsonOf(schema: OutputSchema): JsonSchema {
  const field = 'outputFormat.schema';
  let json: JsonSchema;
  try {
    json = toSchema(schema).json;
  } catch (cause) {
    const error = new ValidationError(`${field} has no JSON Schema: ${messageOf(cause)}`, field);
    error.cause = cause;
    throw error;
  }
  if (typeof json === 'object' && json !== null) return json;
  throw new ValidationError(`${field} must offer its JSON Schema as an object`, field);
}

function isSchema(schema: unknown): boolean {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const { parse } = schema as { readonly parse?: unknown };
  return '~standard' in schema || ('json' in schema && typeof parse === 'function');
}
