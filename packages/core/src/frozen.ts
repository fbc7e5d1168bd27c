/**
 * Freezes plain data where it is, lists and objects at every depth, and returns it. Left as they are: what is frozen already, and what is
 * no plain data, such as a date or an instance of a class.
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
