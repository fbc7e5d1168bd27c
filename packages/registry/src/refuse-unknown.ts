import { nearestName, ValidationError } from '@x/core';

/** @throws ValidationError when the record has a key that nothing would honour */
export function refuseUnknown(what: string, record: object, known: readonly string[]): void {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new ValidationError(`${what} must be an object`);
  }
  const other = Object.keys(record).find((key) => !known.includes(key));
  if (other === undefined) return;
  const nearest = nearestName(other, known);
  throw new ValidationError(`${what}: unknown ${other}; did you mean ${nearest}? Known are ${known.join(', ')}`, other);
}
