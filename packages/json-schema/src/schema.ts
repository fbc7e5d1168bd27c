import { KEYWORDS } from './keywords.ts';

/** JSON Schema 2020-12, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON Schema for the model and the parser that enforces it. */
export interface Schema<T = unknown> {
  readonly json: JsonSchema;
  /** @throws ValidationError when `value` does not fit. */
  parse(value: unknown): T;
  /** The same schema that refuses root properties it does not judge, if the schema supports it. */
  closed?(): Schema<T>;
}

/** True for a boolean, and for plain data with a keyword of JSON Schema; false for a `Schema`, and for the schema of a library. */
export function isJsonSchema(value: unknown): value is JsonSchema | boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if ('~standard' in value || ('parse' in value && typeof value.parse === 'function')) return false;
  return Object.keys(value).some((keyword) => KEYWORDS.has(keyword));
}
