import { type JsonSchema, type ModelRequest, type Schema, ValidationError } from '@x/core';
import { type AnyStandardSchema, messageOf, toSchema } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { canBeStrict } from './can-be-strict.ts';
import { objectRoot } from './object-root.ts';

/** A schema for answers: zod 4, any Standard Schema that offers JSON Schema, or a `Schema`. */
export type OutputSchema = Schema | AnyStandardSchema;
/** The format of an agent's answers. */
export interface OutputFormat<S extends OutputSchema = OutputSchema> {
  readonly type: 'json_schema';
  /** Its JSON Schema is sent to the model, and the schema itself parses the answer: defaults, refinements and transforms apply. */
  readonly schema: S;
  /** The format's name in the service; default `output`. `^[A-Za-z0-9_-]{1,64}$` */
  readonly name?: string;
  /**
   * Lets the service enforce the schema during generation, if it has a mode for that. Default: true for schemas that every service can
   * enforce. With `true` the first model call refuses a schema that OpenAI or Anthropic cannot express, naming place and keyword.
   */
  readonly strict?: boolean;
}
/** An output format, checked. */
export interface CheckedFormat {
  /** Part of every request: one object, because adapters cache by identity. */
  readonly request: NonNullable<ModelRequest['outputFormat']>;
  readonly schema: OutputSchema;
  /** The JSON Schema of `schema`. */
  readonly json: JsonSchema;
  /** True when the answer is the member `value` in the schema of the request. */
  readonly isWrapped: boolean;
}

const FORMAT = is.required(
  is.nested<OutputFormat>(
    {
      type: is.required(is.oneOf('json_schema')),
      schema: is.required(
        is.rule('a zod 4 schema, any Standard Schema, or what jsonSchema() makes of a JSON Schema', isSchema),
      ),
      name: is.rule(
        'a text that matches ^[A-Za-z0-9_-]{1,64}$',
        (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value),
      ),
      strict: is.flag,
    },
    "{ type: 'json_schema', schema }",
  ),
);

/** @throws ValidationError naming the invalid field */
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
