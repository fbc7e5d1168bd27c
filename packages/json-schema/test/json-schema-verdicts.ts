import type { ValidationError, ValidationIssue } from '@x/errors';
import { jsonSchema } from '../src/json-schema.ts';

/** Whether the schema takes each of the values. */
export function verdicts(schema: object | boolean, values: readonly unknown[]): readonly boolean[] {
  return values.map((value) => jsonSchema(schema as Record<string, unknown>).check(value).issues === undefined);
}

/** What is wrong with the value; undefined when nothing is. */
export function faultsOf(schema: object, value: unknown): readonly ValidationIssue[] | undefined {
  return jsonSchema(schema as Record<string, unknown>).check(value).issues;
}

/** With what the schema is refused; undefined when it is taken. */
export function refusal(schema: unknown): ValidationError {
  return thrownBy(() => jsonSchema(schema as Record<string, unknown>)) as ValidationError;
}

export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
