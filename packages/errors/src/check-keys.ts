import { ValidationError } from './errors.ts';
import { knownNames } from './nearest-name.ts';

/** Maximum characters of a name or a text in an error. */
export const MOST_SHOWN = 100;

/**
 * Checks that a value is an object of named values, no list, map or set, and has known keys only: any other is refused, even with the value
 * undefined. Symbol keys are ignored. `what` begins the message, such as `Registry options`; `path` is the place of the value among the
 * options, such as `agents[0]`, absent for the whole of them.
 * @throws ValidationError naming the first unknown key, the nearest known one if there is one, and all known ones; `field` is the path of
 * the key
 */
export function checkKeys(
  what: string,
  value: unknown,
  known: readonly string[],
  path?: string,
): asserts value is object {
  if (!isKeyed(value)) throw new ValidationError(`${what} must be an object, not ${shownValue(value)}`, path);
  for (const key of Object.keys(value)) if (!known.includes(key)) throw unknownKey(what, key, known, path);
}

/** An object of named values: no list, map or set. */
export function isKeyed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}

/** The error for an unknown key. */
export function unknownKey(what: string, key: string, known: readonly string[], path?: string): ValidationError {
  const name = key.slice(0, MOST_SHOWN);
  const field = path === undefined ? name : `${path}.${name}`;
  return new ValidationError(`${what}: unknown ${name}; ${knownNames(key, known)}`, field);
}

/** A value as shown in an error: texts, numbers and words unchanged, of all others only the kind. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}...` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return isKeyed(value) ? 'an object' : 'a collection';
}
