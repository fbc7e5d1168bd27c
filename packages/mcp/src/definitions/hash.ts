import { sha256 } from './sha256.ts';

/** SHA-256 of a value as JSON whose keys are sorted, in hexadecimal digits. */
export function hashOf(value: unknown): string {
  return sha256(sortedJson(value));
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const keys = Object.keys(part);
    if (keys.every((key, index) => index === 0 || keys[index - 1]! < key)) return part; // nearly always short, and in order
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
