/**
 * Freezes plain data in place, lists and objects at every depth, and returns it. Values that are frozen already, or are not plain data,
 * such as a date or an instance of a class, stay as they are.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    Object.freeze(value); // before what is in it, so that a circle has an end
    for (const inner of value as readonly unknown[]) frozen(inner);
    return value;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  Object.freeze(value);
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === 'object') frozen(inner);
  }
  return value;
}
