import { ValidationError } from './errors.ts';
import { knownNames } from './nearest-name.ts';

/** Characters of a name or a text that an error shows. */
export const MOST_SHOWN = 100;

/**
 * Checks that a value is an object of named values, no list, map or set, and has known keys only: what nothing would
 * honour is refused, also when it is undefined. Keys that are symbols are not looked at. `what` begins the message, such as
 * `Registry options`; `path` is where the value is among the options, such as `agents[0]`, absent for the whole of them.
 * @throws ValidationError naming the first unknown key, the nearest known one where one is near, and all known ones; `field` is the path of the key
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

/** The error of a key that is not among the known ones. */
export function unknownKey(what: string, key: string, known: readonly string[], path?: string): ValidationError {
  const name = key.slice(0, MOST_SHOWN);
  const field = path === undefined ? name : `${path}.${name}`;
  return new ValidationError(`${what}: unknown ${name}; ${knownNames(key, known)}`, field);
}

/** A value as an error shows it: texts, numbers and words as they are, of all else its kind. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}...` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return isKeyed(value) ? 'an object' : 'a collection';
}
