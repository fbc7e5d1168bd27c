import type { JsonSchema } from '@x/core';
import type { ParameterType, ToolParameter } from './metadata.ts';
import { PARAMETER_TYPES } from './parameter-check.ts';

/**
 * The properties of a JSON Schema as parameters, for people and search. Parts that a parameter cannot express (unions, nested schemas) are
 * left out: the schema itself still judges a call.
 */
export function parametersOf(schema: JsonSchema): ToolParameter[] {
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  return Object.entries(recordOf(schema['properties'])).map(([name, property]) =>
    parameterOf(name, resolved(recordOf(property), schema), required.has(name)),
  );
}

function parameterOf(name: string, property: Readonly<Record<string, unknown>>, required: boolean): ToolParameter {
  const { description, pattern, minimum, maximum, default: fallback, enum: values } = property;
  const type = typeOf(property);
  return {
    name,
    type,
    description: typeof description === 'string' ? description : '',
    ...(required ? { required } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(Array.isArray(values) ? { enum: values as unknown[] } : {}),
    ...(type === 'string' && typeof pattern === 'string' ? { pattern } : {}),
    ...(type === 'number' && typeof minimum === 'number' ? { minimum } : {}),
    ...(type === 'number' && typeof maximum === 'number' ? { maximum } : {}),
  };
}

/** The first named type, or that of the first allowed value; `object` without either. */
function typeOf({
  type,
  enum: values,
  const: constant,
  anyOf,
  oneOf,
}: Readonly<Record<string, unknown>>): ParameterType {
  const named = [type].flat().find((one) => one !== 'null' && one !== undefined);
  if (named === 'integer') return 'number';
  if (isType(named)) return named;
  const example: unknown = Array.isArray(values) ? values[0] : constant;
  const kind = Array.isArray(example) ? 'array' : typeof example;
  if (isType(kind)) return kind;
  const choices = [anyOf, oneOf].find(Array.isArray)?.map(recordOf) ?? [];
  const choice = choices.find((one) => one['type'] !== 'null');
  return choice === undefined ? 'object' : typeOf(choice);
}

function isType(value: unknown): value is ParameterType {
  return typeof value === 'string' && PARAMETER_TYPES.includes(value);
}

/** Follows one reference into the schema's own definitions. */
function resolved(property: Readonly<Record<string, unknown>>, schema: JsonSchema): Readonly<Record<string, unknown>> {
  const target = /^#\/\$defs\/([^/]+)$/.exec(String(property['$ref']))?.[1];
  const definitions = recordOf(schema['$defs']);
  return target !== undefined && Object.hasOwn(definitions, target)
    ? { ...recordOf(definitions[target]), ...property }
    : property;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
