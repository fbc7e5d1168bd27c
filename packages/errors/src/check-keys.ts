import { ValidationError } from './errors.ts';
import { knownNames } from './nearest-name.ts';

/**
 * Checks that a value is an object of named values, no list, map or set, and has known keys only: what nothing would
 * honour is refused, also when it is undefined. Keys that are symbols are not looked at. `what` begins the message, such as
 * `Registry options`.
 * @throws ValidationError naming the first unknown key, the nearest known one where one is near, and all known ones; `field` is that key
 */
export function checkKeys(what: string, value: unknown, known: readonly string[]): asserts value is object {
  if (!isRecord(value)) throw new ValidationError(`${what} must be an object`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd === undefined) return;
  throw new ValidationError(`${what}: unknown ${odd}; ${knownNames(odd, known)}`, odd);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}
