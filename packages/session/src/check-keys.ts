import { nearestName, ValidationError } from '@x/core';
import { isRecord } from './own-record.ts';

/** Refuses what is no object of options, and every key that is not among the known ones. @throws ValidationError naming the nearest */
export function checkKeys(options: unknown, known: readonly string[]): asserts options is object {
  if (!isRecord(options)) throw new ValidationError('The options must be an object');
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw new ValidationError(`Unknown option ${key}; the nearest known one is ${nearestName(key, known)}`, key);
  }
}
