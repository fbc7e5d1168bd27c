/** Foreign JSON read as an object; undefined when it is not one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // safe: read as unknown values only
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** A count in foreign JSON; undefined when it is not a valid one. */
export function countOf(record: Readonly<Record<string, unknown>> | undefined, key: string): number | undefined {
  const value = record?.[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
