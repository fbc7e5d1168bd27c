import { isKeyed } from '@x/errors';
/** A copy of a record and of the records in it, each value read once; anything else as it is. */
export function ownRecord<T>(value: T): T {
  return mapped(value, (one) => mapped(one, (inner) => inner));
}

/** A copy of a record with `copy` applied to each value; anything else as it is. */
export function mapped<T>(value: T, copy: (one: unknown, key: string) => unknown): T {
  if (!isKeyed(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one, key)])) as T; // safe: the same keys
}
