import { createHash } from 'node:crypto';

/** SHA-256 of a value as JSON whose keys are sorted, in hexadecimal digits. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(sortedJson(value)).digest('hex');
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
