import { checkKeys as checkKeysOf } from '@x/core';

/** Refuses what is no object of options, and every key that is not among the known ones. @throws ValidationError naming the nearest */
export function checkKeys(options: unknown, known: readonly string[]): asserts options is object {
  checkKeysOf('The options', options, known);
}
