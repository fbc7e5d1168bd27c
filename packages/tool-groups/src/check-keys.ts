import { nearestName, ValidationError } from '@x/core';

/** @throws ValidationError when `record` is no object, or has a key that nothing would honour */
export function checkKeys(what: string, record: object, known: readonly string[]): void {
  if (typeof record !== 'object' || record === null) throw new ValidationError(`${what} must be an object`);
  const odd = Object.keys(record).find((key) => !known.includes(key));
  if (odd === undefined) return;
  throw new ValidationError(`${what} have no ${odd}; did you mean ${nearestName(odd, known)}?`, odd);
}
