import type { StandardSchemaV1 } from '@standard-schema/spec';
import { dottedPath, issuesError, jsonPointer, ValidationError } from '@x/errors';
import type { JsonSchema, Schema } from '@x/json-schema';

/** A schema of any vendor that implements standardschema.dev, such as zod 4, valibot and arktype. */
export type AnyStandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** The type that a schema's parser returns; unknown for a plain JSON Schema. */
export type OutputOf<S> =
  S extends StandardSchemaV1<infer _Input, infer Output>
    ? Output
    : S extends Schema<infer T>
      ? T
      : S extends JsonSchema | boolean
        ? unknown
        : never;

/**
 * Converts any Standard Schema to a `Schema`. Its JSON Schema is `json`, else that of the schema itself (`~standard.jsonSchema`, in zod 4.2
 * and later), on first use.
 * @throws ValidationError when there is no JSON Schema, or the schema validates asynchronously
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

/** Converts a zod 4 schema to a `Schema`; zod itself is not loaded. */
export const zodSchema: typeof standardSchema = standardSchema;

/** Returns a `Schema` unchanged, and converts a Standard Schema. @throws ValidationError for any other value */
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

/** Checks that a schema offers a JSON Schema, without creating it. @throws ValidationError for a Standard Schema that does not */
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
