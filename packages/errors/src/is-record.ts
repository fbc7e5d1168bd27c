/** True for an object, a list too. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
