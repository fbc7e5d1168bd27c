import { isObject } from '@x/errors';
/** A value of somebody else's JSON, read as an object; undefined when it is none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // safe: read as unknown values only
  return isObject(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** A count in foreign JSON; undefined when it is not a valid one. */
export function countOf(record: Readonly<Record<string, unknown>> | undefined, key: string): number | undefined {
  const value = record?.[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A text of somebody else's JSON; empty when it is none. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
