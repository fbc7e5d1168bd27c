import { type JsonSchema, type Schema, ValidationError } from '@x/core';
import type { ToolParameter } from './metadata.ts';
import { type ParameterCheck, parameterCheck } from './parameter-check.ts';

interface Compiled {
  readonly name: string;
  readonly required: boolean;
  readonly fallback: unknown;
  readonly check: ParameterCheck;
}
interface Fault {
  readonly path: string;
  readonly message: string;
}

/**
 * The parameters of a tool as the schema of its input: nothing is coerced, what is not declared is refused, presence is an
 * own-property test, defaults go into a copy.
 * @throws ValidationError when a declaration contradicts itself
 */
export function parametersSchema(parameters: readonly ToolParameter[]): Schema<Record<string, unknown>> {
  const compiled = parameters.map((parameter): Compiled => {
    const { name, required = false, default: fallback } = parameter;
    return { name, required, fallback, check: parameterCheck(parameter) };
  });
  const names = new Set(compiled.map(({ name }) => name));
  return {
    json: jsonSchemaOf(parameters),
    parse(value) {
      checkObject(value);
      const faults: Fault[] = [];
      const parsed: Record<string, unknown> = {};
      for (const one of compiled) take(one, value, parsed, faults);
      for (const path of Object.keys(value)) {
        if (!names.has(path)) faults.push({ path, message: `Unknown parameter: ${path}` });
      }
      if (faults.length === 0) return parsed;
      throw new ValidationError(faults.map(({ message }) => message).join('; '), faults[0]?.path, faults);
    },
  };
}

/** @throws ValidationError when the parameters of a call are no object at all */
export function checkObject(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new ValidationError('Parameters must be an object');
}

function take(
  { name, required, fallback, check }: Compiled,
  given: Record<string, unknown>,
  parsed: Record<string, unknown>,
  faults: Fault[],
): void {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (value !== undefined) {
    const message = check(value);
    if (message !== undefined) faults.push({ path: name, message });
    parsed[name] = value;
  } else if (fallback !== undefined) {
    parsed[name] = typeof fallback === 'object' ? structuredClone(fallback) : fallback;
  } else if (required) faults.push({ path: name, message: `Required parameter missing: ${name}` });
}

function jsonSchemaOf(parameters: readonly ToolParameter[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, required: _, ...rest }) => [name, rest as Omit<ToolParameter, 'name' | 'required'>]),
    ),
    // One with a default may be left out.
    required: parameters.filter((one) => one.required && one.default === undefined).map(({ name }) => name),
    additionalProperties: false,
  };
}
