import { ValidationError } from './errors.ts';
import { nearestName } from './nearest-name.ts';

/**
 * Checks that a value is an object of named values, no list, map or set, and has no key beside the known ones: what nothing would
 * honour is refused, also when it is undefined. Keys that are symbols are not looked at. `what` begins the message, such as
 * `Registry options`.
 * @throws ValidationError naming the first key that is not known, the nearest that is and all that are; `field` is that key
 */
export function checkKeys(what: string, value: unknown, known: readonly string[]): asserts value is object {
  if (!isRecord(value)) throw new ValidationError(`${what} must be an object`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd === undefined) return;
  const nearest = nearestName(odd, known);
  throw new ValidationError(`${what}: unknown ${odd}; did you mean ${nearest}? Known: ${known.join(', ')}`, odd);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}
