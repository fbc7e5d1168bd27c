import { jsonPointer, type ValidationIssue } from '@x/errors';

/** Levels of objects and lists in each other. */
const MOST_LEVELS = 64;
const MOST_KEYS = 10_000;
/** Keys by which the prototype of an object is reached. */
const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A body that was read, or the faults of one that is refused. */
export type Body =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

/** True for `application/json`, in UTF-8 and not compressed. */
export function isJson(headers: { get(name: string): string | null }): boolean {
  const type = headers.get('content-type') ?? '';
  const encoding = headers.get('content-encoding') ?? 'identity';
  return /^application\/json *(; *charset *= *"?utf-8"? *)?;?$/i.test(type.trim()) && encoding === 'identity';
}

/** Parses a JSON text and looks at all that is in it, before anything else does. */
export function parseJson(bytes: ArrayBuffer): Body {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { issues: [{ path: '', message: 'The body is not valid JSON in UTF-8' }] };
  }
  const fault = faultIn(value);
  return fault ? { issues: [fault] } : { value };
}

/** Without recursion: a body may have half a million levels. */
function faultIn(body: unknown): ValidationIssue | undefined {
  const open: { readonly value: object; readonly level: number }[] = [];
  const enter = (value: unknown, level: number) => {
    if (typeof value === 'object' && value !== null) open.push({ value, level });
  };
  let keys = 0;
  enter(body, 1);
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, level } = next;
    if (level > MOST_LEVELS) return { path: '', message: `The body has more than ${MOST_LEVELS} levels` };
    if (Array.isArray(value)) {
      for (const item of value) enter(item, level + 1);
      continue;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (REFUSED_KEYS.has(key)) return { path: jsonPointer([key]), message: `The key ${key} is refused` };
      if ((keys += 1) > MOST_KEYS) return { path: '', message: `The body has more than ${MOST_KEYS} keys` };
      enter(inner, level + 1);
    }
  }
  return undefined;
}
