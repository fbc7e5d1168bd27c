import { ValidationError } from '@x/core';
import { checkJsonValue, messageOf, shownNames } from '@x/core/internal';
import { equal, type LinearPattern, linearPattern } from '@x/json-schema';
import type { ParameterType, ToolParameter } from './metadata.ts';

/** A fault of a value: the message for the caller, and the expected value. */
export interface ParameterFault {
  readonly message: string;
  readonly expected: string;
}
/** Checks a value; undefined when it fits. */
export type ParameterCheck = (value: unknown) => ParameterFault | undefined;

const TYPES: Readonly<Record<ParameterType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
};

/** The names of the types a parameter may have. */
export const PARAMETER_TYPES: readonly string[] = Object.keys(TYPES);

/** The check of one parameter's values. @throws ValidationError when the declaration contradicts itself */
export function parameterCheck(parameter: ToolParameter): ParameterCheck {
  const { name, type, enum: values, minimum = -Infinity, maximum = Infinity } = parameter;
  const pattern = parameter.pattern === undefined ? undefined : compile(name, parameter.pattern);
  const fitsType = TYPES[type];
  const wrong = (expected: string) => ({
    message: `Invalid value for parameter ${name}: expected ${expected}`,
    expected,
  });
  const check: ParameterCheck = (value) => {
    if (!fitsType(value)) return { message: `Invalid type for parameter ${name}: expected ${type}`, expected: type };
    if (values && !values.some((one) => equal(one, value)))
      return wrong(`one of ${shownNames(values.map(shownParameter))}`);
    if (pattern) return mismatch(pattern, value as string, wrong(`a match of ${parameter.pattern}`)); // only strings have patterns
    if (type !== 'number') return undefined;
    if ((value as number) < minimum) return wrong(`at least ${minimum}`);
    return (value as number) > maximum ? wrong(`at most ${maximum}`) : undefined;
  };
  checkOwnValues(parameter, check);
  return check;
}

function compile(name: string, source: string): LinearPattern {
  try {
    return linearPattern(source);
  } catch (error) {
    throw new ValidationError(`Parameter ${name}: ${messageOf(error)}`, name);
  }
}

function mismatch(pattern: LinearPattern, text: string, fault: ParameterFault): ParameterFault | undefined {
  try {
    return pattern.test(text) ? undefined : fault;
  } catch (error) {
    return { ...fault, message: `${fault.message} (${messageOf(error)})` };
  }
}

/** Refuses mistakes of the author: a default that would be refused, or an enum member that no call could use. */
function checkOwnValues({ name, enum: values, default: fallback }: ToolParameter, check: ParameterCheck): void {
  checkJson(name, 'enum', values ?? []);
  if (fallback !== undefined) checkJson(name, 'default', fallback);
  const fault = values?.map(check).find((one) => one !== undefined);
  if (fault !== undefined)
    throw new ValidationError(`Parameter ${name} has an enum value that does not fit: ${fault.message}`, name);
  const faultOfDefault = fallback === undefined ? undefined : check(fallback);
  if (faultOfDefault === undefined) return;
  throw new ValidationError(`Parameter ${name} has a default that does not fit: ${faultOfDefault.message}`, name);
}

/** Models get both as JSON; and two dates or maps could not be distinguished. */
function checkJson(name: string, key: string, value: unknown): void {
  try {
    checkJsonValue(value, `Parameter ${name}: ${key}`);
  } catch (error) {
    throw new ValidationError(messageOf(error), name);
  }
}

function shownParameter(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
