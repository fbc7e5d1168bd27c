import type { JsonSchema, Schema } from './schema.ts';
import { issuesError, pointerPart, shownNames, type ValidationIssue } from './validation-issue.ts';

const MAX_FAULTS = 100;

/** One property of a flat tool input. */
export type Field =
  | {
      readonly type: 'string';
      readonly description: string;
      readonly optional?: true;
      readonly enum?: readonly string[];
    }
  | {
      readonly type: 'number' | 'integer';
      readonly description: string;
      readonly optional?: true;
      readonly minimum?: number;
      readonly maximum?: number;
    }
  | { readonly type: 'boolean'; readonly description: string; readonly optional?: true };

type ValueOf<F extends Field> = F extends { readonly enum: readonly (infer E)[] }
  ? E
  : F['type'] extends 'string'
    ? string
    : F['type'] extends 'boolean'
      ? boolean
      : number;
type Optional<F> = { [K in keyof F as F[K] extends { readonly optional: true } ? K : never]: F[K] };
type Required<F> = { [K in keyof F as F[K] extends { readonly optional: true } ? never : K]: F[K] };
/** The value that a set of fields describes. */
export type ObjectOf<F extends Readonly<Record<string, Field>>> = {
  -readonly [K in keyof Required<F>]: ValueOf<F[K]>;
} & { -readonly [K in keyof Optional<F>]?: ValueOf<F[K]> };

/**
 * A schema for a flat object, without a validation library: unknown properties are refused, nothing is coerced, all faults are
 * told at once, presence is an own-property test.
 */
export function objectSchema<const F extends Readonly<Record<string, Field>>>(fields: F): Schema<ObjectOf<F>> {
  const names = Object.keys(fields);
  const json: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, jsonOf(fields[name]!)])),
    required: names.filter((name) => !fields[name]!.optional),
    additionalProperties: false,
  };
  return {
    json,
    parse(value) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw issuesError([{ path: '', message: 'The input must be an object', expected: 'object' }]);
      }
      const faults = faultsOf(value as Record<string, unknown>, fields, names);
      if (faults.length > 0) throw issuesError(faults);
      const parsed: Record<string, unknown> = { ...value };
      for (const name of names) if (Object.hasOwn(parsed, name) && parsed[name] === undefined) delete parsed[name];
      return parsed as ObjectOf<F>; // safe: every field was checked above
    },
  };
}

function faultsOf(value: Record<string, unknown>, fields: Readonly<Record<string, Field>>, names: readonly string[]) {
  const faults: ValidationIssue[] = [];
  const tell = (name: string, rest: string, expected: string) =>
    faults.push({ path: `/${pointerPart(name)}`, message: `${shownNames([name])} ${rest}`, expected });
  for (const name of names) {
    const field = fields[name]!;
    const present = Object.hasOwn(value, name) && value[name] !== undefined;
    const expected = present ? mismatch(value[name], field) : undefined;
    if (!present && !field.optional) tell(name, 'is required', field.type);
    if (expected) tell(name, `must be ${expected}`, expected);
  }
  const known = shownNames(names);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    if (faults.length === MAX_FAULTS) break;
    tell(name, `is not known; known are ${known}`, `one of the names ${known}`);
  }
  return faults;
}

/** What the value should have been, when it is not. */
function mismatch(value: unknown, field: Field): string | undefined {
  if (field.type === 'string') {
    if (typeof value !== 'string') return 'a string';
    return field.enum && !field.enum.includes(value) ? `one of ${shownNames(field.enum)}` : undefined;
  }
  if (field.type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  const fits = field.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (!fits) return field.type === 'integer' ? 'a whole number' : 'a number';
  if (field.minimum !== undefined && (value as number) < field.minimum) return `at least ${field.minimum}`;
  return field.maximum !== undefined && (value as number) > field.maximum ? `at most ${field.maximum}` : undefined;
}

function jsonOf({ optional: _, ...rest }: Field): JsonSchema {
  return rest;
}
