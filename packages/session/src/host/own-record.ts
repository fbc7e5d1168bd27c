/** True for an object of named values: no list, map or set. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as { readonly [Symbol.iterator]?: unknown })[Symbol.iterator] !== 'function';
}

/** A copy of a record and of the records in it, each value read once; anything else as it is. */
export function ownRecord<T>(value: T): T {
  return mapped(value, (one) => mapped(one, (inner) => inner));
}

/** A copy of a record with `copy` applied to each value; anything else as it is. */
export function mapped<T>(value: T, copy: (one: unknown, key: string) => unknown): T {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one, key)])) as T; // safe: the same keys
}
