import type { StandardSchemaV1 } from '@standard-schema/spec';
import { dottedPath, issuesError, jsonPointer, ValidationError } from '@x/errors';
import type { JsonSchema, Schema } from '@x/json-schema';

/** A schema of any vendor that follows standardschema.dev; zod 4, valibot and arktype do. */
export type AnyStandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** What a schema's parser returns; unknown for a JSON Schema as it is. */
export type OutputOf<S> =
  S extends StandardSchemaV1<infer _Input, infer Output>
    ? Output
    : S extends Schema<infer T>
      ? T
      : S extends JsonSchema | boolean
        ? unknown
        : never;

/**
 * Any Standard Schema as a `Schema`. Its JSON Schema is taken from `json`, else asked of the schema itself
 * (`~standard.jsonSchema`, which zod 4.2 and later offers), on first use.
 * @throws ValidationError when no JSON Schema is to be had, or the schema validates asynchronously
 */
export function standardSchema<T>(schema: AnyStandardSchema<unknown, T>, json?: JsonSchema): Schema<T> {
  let known = json;
  return {
    get json(): JsonSchema {
      known ??= jsonSchemaOf(schema);
      return known;
    },
    parse(value) {
      const result = schema['~standard'].validate(value);
      if (result instanceof Promise) {
        result.catch(() => undefined);
        throw new ValidationError('The schema validates asynchronously; use one that answers at once');
      }
      if (result.issues) throw vendorError(result.issues);
      return result.value;
    },
  };
}

/** A zod 4 schema as a `Schema`; zod itself is not loaded. */
export const zodSchema: typeof standardSchema = standardSchema;

/** The schema itself, or a Standard Schema as one. @throws ValidationError for what is neither */
export function toSchema<T>(schema: Schema<T> | AnyStandardSchema<unknown, T>): Schema<T> {
  if (isStandard(schema)) return standardSchema(schema);
  if (typeof schema === 'object' && schema !== null && 'json' in schema && typeof schema.parse === 'function') {
    return schema;
  }
  throw new ValidationError(
    'inputSchema must be a zod 4 schema, any Standard Schema that offers JSON Schema, a JSON Schema with type, properties or the like, ' +
      'or a Schema with json and parse',
  );
}

function isStandard<T>(schema: unknown): schema is AnyStandardSchema<unknown, T> {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;
}

interface JsonSchemaFace {
  readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
}

/** Looks whether a schema can say what it takes, without asking it. @throws ValidationError for a Standard Schema that cannot */
export function checkOffersJson(schema: unknown): void {
  if (isStandard(schema)) faceOf(schema);
}

function faceOf(schema: AnyStandardSchema): NonNullable<JsonSchemaFace['jsonSchema']> {
  const { vendor } = schema['~standard'];
  const face = (schema['~standard'] as JsonSchemaFace).jsonSchema;
  if (face) return face;
  const instead =
    vendor === 'zod'
      ? 'with zod/mini pass standardSchema(schema, z.toJSONSchema(schema)), with zod itself use 4.2 or later'
      : 'pass standardSchema(schema, json) with what its vendor makes of it, or jsonSchema(json) in its place';
  throw new ValidationError(`The ${vendor} schema offers no JSON Schema; ${instead}`);
}

function jsonSchemaOf(schema: AnyStandardSchema): JsonSchema {
  const { vendor } = schema['~standard'];
  const face = faceOf(schema);
  try {
    const { $schema: _, ...json } = face.input({ target: 'draft-2020-12' });
    return json;
  } catch (cause) {
    const error = new ValidationError(`The ${vendor} schema cannot be written as JSON Schema: ${String(cause)}`);
    error.cause = cause;
    throw error;
  }
}

function vendorError(issues: readonly StandardSchemaV1.Issue[]): ValidationError {
  const details = issues.map(({ message, path = [] }) => ({
    path: jsonPointer(path.map((part) => (typeof part === 'object' ? part.key : part))),
    message,
  }));
  return issuesError(details, ({ path, message }) => (path === '' ? message : `${dottedPath(path)}: ${message}`));
}
