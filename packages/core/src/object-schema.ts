import { issuesError, pointerPart, shownNames, type ValidationIssue } from '@x/errors';
import type { JsonSchema, Schema } from '@x/json-schema';

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
  | { readonly type: 'boolean'; readonly description: string; readonly optional?: true }
  | {
      readonly type: 'array';
      readonly description: string;
      readonly optional?: true;
      readonly maxItems: number;
      /** Texts, or objects with these fields. */
      readonly items: 'string' | Fields;
    };
/** The properties of an object, by name. */
type Fields = Readonly<{ [name: string]: Field }>;

type ValueOf<F extends Field> = F extends { readonly items: infer I }
  ? I extends Fields
    ? ObjectOf<I>[]
    : string[]
  : F extends { readonly enum: readonly (infer E)[] }
    ? E
    : F['type'] extends 'string'
      ? string
      : F['type'] extends 'boolean'
        ? boolean
        : number;
type Optional<F> = { [K in keyof F as F[K] extends { readonly optional: true } ? K : never]: F[K] };
type Required<F> = { [K in keyof F as F[K] extends { readonly optional: true } ? never : K]: F[K] };
/** The type of the value that a set of fields describes. */
export type ObjectOf<F extends Fields> = {
  -readonly [K in keyof Required<F>]: ValueOf<F[K]>;
} & { -readonly [K in keyof Optional<F>]?: ValueOf<F[K]> };

/**
 * Creates a schema for a flat object, or one with lists of texts or of such objects, without a validation library: unknown properties are refused,
 * nothing is coerced, all faults are reported at once, only own properties count.
 */
export function objectSchema<const F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  const names = Object.keys(fields);
  return {
    json: jsonOfObject(fields),
    parse(value) {
      const faults = faultsOf(value, fields);
      if (faults.length > 0) throw issuesError(faults);
      const parsed: Record<string, unknown> = { ...(value as object) };
      for (const name of names) if (Object.hasOwn(parsed, name) && parsed[name] === undefined) delete parsed[name];
      return parsed as ObjectOf<F>; // safe: every field was checked above
    },
  };
}

/** `path` is the position of the value, empty for the whole input. */
function faultsOf(value: unknown, fields: Fields, path = ''): ValidationIssue[] {
  const place = path.slice(1).replaceAll('/', '.');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path, message: `${place || 'The input'} must be an object`, expected: 'object' }];
  }
  const faults: ValidationIssue[] = [];
  const tell = (name: string, rest: string, expected: string) =>
    faults.push({
      path: `${path}/${pointerPart(name)}`,
      message: `${place && `${place}.`}${shownNames([name])} ${rest}`,
      expected,
    });
  const given: Readonly<Record<string, unknown>> = { ...value };
  const names = Object.keys(fields);
  for (const name of names) {
    const field = fields[name]!;
    const present = Object.hasOwn(given, name) && given[name] !== undefined;
    const expected = present ? mismatch(given[name], field) : undefined;
    if (!present && !field.optional) tell(name, 'is required', field.type);
    if (expected) tell(name, `must be ${expected}`, expected);
    else if (present && field.type === 'array' && field.items !== 'string') {
      const { items: fieldsOfItem } = field;
      const items = given[name] as readonly unknown[]; // safe: it is no mismatch
      faults.push(...items.flatMap((item, at) => faultsOf(item, fieldsOfItem, `${path}/${pointerPart(name)}/${at}`)));
    }
  }
  const known = shownNames(names);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(fields, name)) continue;
    if (faults.length === MAX_FAULTS) break;
    tell(name, `is not known; known are ${known}`, `one of the names ${known}`);
  }
  return faults;
}

/** The expected type of a value that does not match; undefined for one that does. */
function mismatch(value: unknown, field: Field): string | undefined {
  if (field.type === 'string') {
    if (typeof value !== 'string') return 'a string';
    return field.enum && !field.enum.includes(value) ? `one of ${shownNames(field.enum)}` : undefined;
  }
  if (field.type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  if (field.type === 'array') {
    const ofTexts = field.items === 'string';
    const fits = Array.isArray(value) && value.length <= field.maxItems && (!ofTexts || value.every(isText));
    return fits ? undefined : `a list of at most ${field.maxItems}${ofTexts ? ' strings' : ''}`;
  }
  const fits = field.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
  if (!fits) return field.type === 'integer' ? 'a whole number' : 'a number';
  if (field.minimum !== undefined && (value as number) < field.minimum) return `at least ${field.minimum}`;
  return field.maximum !== undefined && (value as number) > field.maximum ? `at most ${field.maximum}` : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function jsonOfObject(fields: Fields): JsonSchema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, jsonOf(fields[name]!)])),
    required: names.filter((name) => !fields[name]!.optional),
    additionalProperties: false,
  };
}

function jsonOf({ optional: _, ...rest }: Field): JsonSchema {
  if (rest.type !== 'array') return rest;
  return { ...rest, items: rest.items === 'string' ? { type: 'string' } : jsonOfObject(rest.items) };
}
