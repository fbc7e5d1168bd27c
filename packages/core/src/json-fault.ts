import { jsonPointer, type ValidationIssue } from '@x/errors';

/** Levels of objects and lists in each other. */
const MOST_LEVELS = 64;
const MOST_KEYS = 10_000;
/** Keys by which the prototype of an object is reached. */
const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The first fault of parsed JSON that comes from anywhere: more than 64 levels or 10,000 keys, or a key by which a prototype is reached.
 * `what` begins the message, such as `The body`. Without recursion: a text of a megabyte may have half a million levels.
 */
export function jsonFault(json: unknown, what: string): ValidationIssue | undefined {
  const open: { readonly value: object; readonly level: number }[] = [];
  const enter = (value: unknown, level: number) => {
    if (typeof value === 'object' && value !== null) open.push({ value, level });
  };
  let keys = 0;
  enter(json, 1);
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, level } = next;
    if (level > MOST_LEVELS) return { path: '', message: `${what} has more than ${MOST_LEVELS} levels` };
    if (Array.isArray(value)) {
      for (const item of value) enter(item, level + 1);
      continue;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (REFUSED_KEYS.has(key)) return { path: jsonPointer([key]), message: `The key ${key} is refused` };
      if ((keys += 1) > MOST_KEYS) return { path: '', message: `${what} has more than ${MOST_KEYS} keys` };
      enter(inner, level + 1);
    }
  }
  return undefined;
}
