import type { JsonSchema, Schema, ValidationIssue } from '@x/core';
import { issuesError, pointerPart, unknownParameter } from '@x/core/internal';
import type { ToolParameter } from './metadata.ts';
import { type ParameterCheck, parameterCheck } from './parameter-check.ts';

/** Maximum number of reported faults; more would not be read. */
const MAX_FAULTS = 100;

interface Compiled {
  readonly name: string;
  readonly required: boolean;
  /** Its name as a JSON pointer. */
  readonly path: string;
  readonly type: string;
  readonly fallback: unknown;
  readonly check: ParameterCheck;
}

/**
 * The parameters of a tool as the schema of its input: nothing is coerced, undeclared ones are refused, only own properties count, defaults
 * are set in a copy.
 * @throws ValidationError when a declaration contradicts itself
 */
export function parametersSchema(parameters: readonly ToolParameter[]): Schema<Record<string, unknown>> {
  const compiled = parameters.map((parameter): Compiled => {
    const { name, type, required = false, default: fallback } = parameter;
    return { name, path: `/${pointerPart(name)}`, type, required, fallback, check: parameterCheck(parameter) };
  });
  const known = compiled.map(({ name }) => name);
  const names = new Set(known);
  let json: JsonSchema | undefined; // of many tools most are never shown
  return {
    get json() {
      json ??= jsonSchemaOf(parameters);
      return json;
    },
    parse(value) {
      checkObject(value);
      const faults: ValidationIssue[] = [];
      const parsed: Record<string, unknown> = {};
      for (const one of compiled) take(one, value, parsed, faults);
      for (const name of Object.keys(value)) {
        if (!names.has(name) && faults.length < MAX_FAULTS) faults.push(unknownParameter(name, known));
      }
      if (faults.length === 0) return parsed;
      throw issuesError(faults);
    },
  };
}

/** @throws ValidationError when the parameters of a call are not an object */
export function checkObject(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw issuesError([{ path: '', message: 'Parameters must be an object', expected: 'object' }]);
}

function take(
  { name, path, type, required, fallback, check }: Compiled,
  given: Record<string, unknown>,
  parsed: Record<string, unknown>,
  faults: ValidationIssue[],
): void {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (value !== undefined) {
    const fault = check(value);
    if (fault !== undefined) faults.push({ path, ...fault });
    parsed[name] = value;
  } else if (fallback !== undefined) {
    parsed[name] = typeof fallback === 'object' ? structuredClone(fallback) : fallback;
  } else if (required) {
    faults.push({ path, message: `Required parameter missing: ${name}`, expected: type });
  }
}

/** Frozen, because it is shared. */
function jsonSchemaOf(parameters: readonly ToolParameter[]): JsonSchema {
  const properties = parameters.map(({ name, required: _, ...rest }) => [name, Object.freeze(rest)] as const);
  // One with a default may be left out.
  const required = parameters.filter((one) => one.required && one.default === undefined).map(({ name }) => name);
  return Object.freeze({
    type: 'object',
    properties: Object.freeze(Object.fromEntries(properties)),
    required: Object.freeze(required),
    additionalProperties: false,
  });
}
