import {
  faultsText,
  isRecord,
  issuesError,
  pointerPart,
  unknownParameter,
  ValidationError,
  type ValidationIssue,
  withText,
} from '@x/errors';
import { isJsonSchema, type JsonSchema, jsonSchema, type Schema } from '@x/json-schema';
import { type AnyStandardSchema, checkOffersJson, toSchema } from './schema.ts';
import { declaredNames, rootOf } from './tool-schema-names.ts';
import { isPlainObject, wrappedJson } from './tool-schema-wrap.ts';

/** Maximum number of unknown names that are reported. */
const MAX_UNKNOWN = 100;
/** Also contains the resulting schemas, so that none is adapted twice. */
const known = new WeakMap<object, Schema>();

/**
 * Adapts a schema to the form that every model accepts for the input of a tool, with two additions:
 *
 * - A root that is not a plain `type: 'object'` (a union, a list, a text) becomes the property `input` of an object; the schema's own
 * parser gets its value.
 * - Root properties that the schema does not name are refused, unless it has `additionalProperties`, `unevaluatedProperties` or
 * `patternProperties` (zod: `looseObject`, `catchall`, `record`).
 *
 * A plain JSON Schema, an object with keywords of JSON Schema or a boolean, is compiled immediately, as strictly as `jsonSchema` does. The
 * JSON Schema of a vendor is created on first use.
 * @throws ValidationError for any other value, a schema with faults, and one that offers no JSON Schema
 */
export function toToolSchema<T>(schema: ToolSchema<T>): Schema<T> {
  const isKey = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
  const adapted = isKey ? known.get(schema) : undefined;
  if (adapted) return adapted as Schema<T>; // safe: made from this very schema
  checkOffersJson(schema);
  const isPlain = isJsonSchema(schema);
  const made = adapt(isPlain ? (jsonSchema(schema) as Schema<T>) : toSchema(schema)); // safe: T is unknown of a plain one
  if (!isPlain) known.set(schema, made); // its owner may change a plain one
  known.set(made, made);
  return made;
}

/** A schema of a tool's input. */
export type ToolSchema<T = unknown> = Schema<T> | AnyStandardSchema<unknown, T> | JsonSchema | boolean;

function adapt<T>(schema: Schema<T>): Schema<T> {
  let plan: Schema<T> | undefined;
  return {
    get json() {
      plan ??= planOf(schema);
      return plan.json;
    },
    parse(value) {
      plan ??= planOf(schema);
      return plan.parse(value);
    },
  };
}

function planOf<T>(schema: Schema<T>): Schema<T> {
  const json = rootOf(schema.json);
  if (!isPlainObject(json)) return wrapped(schema, json);
  if (schema.closed) {
    const closed = schema.closed();
    return { json, parse: (value) => closed.parse(value) };
  }
  const names = declaredNames(json);
  return names ? closing(schema, json, names) : { json, parse: (value) => schema.parse(value) };
}

/** Adds a check of unknown names to a parser that ignores or drops them. */
function closing<T>(schema: Schema<T>, json: JsonSchema, names: ReadonlySet<string>): Schema<T> {
  // Vendors read inherited properties like own ones.
  const inherits = [...names].some((name) => name in Object.prototype);
  return {
    json,
    parse(value) {
      if (!isRecord(value)) return schema.parse(value);
      const own: unknown = inherits ? Object.assign(Object.create(null), value) : value;
      const issues = unknownNames(value, names);
      if (issues.length === 0) return schema.parse(own);
      throw withIssues(faultOf(schema, own), issues);
    },
  };
}

function faultOf(schema: Schema, value: unknown): ValidationError | undefined {
  try {
    schema.parse(value);
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
}

function withIssues(error: ValidationError | undefined, issues: readonly ValidationIssue[]): ValidationError {
  const added = issuesError(issues);
  if (!error) return added;
  const both = new ValidationError(error.message, error.field, [...issuesOf(error), ...issues]);
  return withText(both, [faultsText(error), faultsText(added)]);
}

function unknownNames(value: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): ValidationIssue[] {
  const odd = Object.keys(value).filter((name) => !names.has(name));
  return odd.slice(0, MAX_UNKNOWN).map((name) => unknownParameter(name, [...names]));
}

function wrapped<T>(schema: Schema<T>, json: JsonSchema): Schema<T> {
  const names = new Set(['input']);
  return {
    json: wrappedJson(json),
    parse(value) {
      if (!isRecord(value))
        throw issuesError([{ path: '', message: 'Parameters must be an object', expected: 'object' }]);
      const issues = unknownNames(value, names);
      if (!Object.hasOwn(value, 'input') || value['input'] === undefined) {
        issues.unshift({ path: '/input', message: 'Required parameter missing: input', expected: 'a value' });
      }
      if (issues.length > 0) throw issuesError(issues);
      try {
        return schema.parse(value['input']);
      } catch (error) {
        throw error instanceof ValidationError ? below(error) : error;
      }
    },
  };
}

/** The same faults, with paths below `input`. */
function below(error: ValidationError): ValidationError {
  const details = issuesOf(error).map((issue) => ({ ...issue, path: `/input${issue.path}` }));
  const field = error.field === undefined ? 'input' : `input.${error.field}`;
  return withText(new ValidationError(`input: ${error.message}`, field, details), [`input: ${faultsText(error)}`]);
}

function issuesOf({ details, message, field }: ValidationError): readonly ValidationIssue[] {
  if (Array.isArray(details)) return details as ValidationIssue[]; // safe: what parsers of schemas tell
  return [{ path: field === undefined ? '' : `/${pointerPart(field)}`, message }];
}
