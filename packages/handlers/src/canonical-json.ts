/** The same text for the same JSON value, whatever the order of its keys; undefined for a value that JSON would change. */
export function canonicalJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, held: unknown) => {
      if (typeof held !== 'object' || held === null || Array.isArray(held)) {
        if (typeof held === 'function' || typeof held === 'symbol') throw new TypeError('not JSON');
        return held;
      }
      const prototype: unknown = Object.getPrototypeOf(held);
      if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new TypeError('not JSON');
      return Object.fromEntries(Object.entries(held).sort(([one], [other]) => (one < other ? -1 : 1)));
    });
  } catch {
    return undefined; // circles, BigInt, classes, too deep
  }
}
