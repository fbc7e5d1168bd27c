import { inspect, isDeepStrictEqual } from 'node:util';
import { broken } from './broken.ts';

/** Compares without a diff, which takes too long for large values. @throws AgentError `CONTRACT_BROKEN` */
export function same(actual: unknown, expected: unknown, what = 'An answer'): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw broken(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

function shown(value: unknown): string {
  return inspect(value, { depth: 6, maxArrayLength: 50, maxStringLength: 200, breakLength: Number.POSITIVE_INFINITY });
}
