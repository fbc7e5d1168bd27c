import { ValidationError } from '@x/core';

/**
 * The error for a keyword that a service's subset of JSON Schema cannot express. `pointer` is a JSON pointer (RFC 6901) into the original
 * schema.
 */
export function inexpressible(pointer: string, keyword: string, reason: string): ValidationError {
  const place = pointer === '' ? 'the root of the output schema' : `${pointer} of the output schema`;
  return new ValidationError(`${keyword} at ${place} ${reason}`, 'outputFormat.schema', { pointer, keyword });
}

/** Appends steps to a JSON pointer. */
export function below(pointer: string, ...steps: readonly (string | number)[]): string {
  let longer = pointer;
  for (const step of steps) longer += `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return longer;
}
