import { AgentError } from '@x/core';

/**
 * A copy of a hook's input as JSON: nothing is hidden, and a key `__proto__` becomes an own one. @throws for values that JSON cannot
 * represent
 */
export function jsonCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

/** Converts the returned value of a function to a plain object; undefined when it returned nothing. @throws AgentError `HOOK_OUTPUT` */
export function returnedOutput(value: unknown): object | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isPlain(value)) throw new AgentError('it returned no plain object', 'HOOK_OUTPUT');
  return parseJson(JSON.stringify(value)) as object; // of an object without toJSON, checked above
}

/** Parses the output of a command; undefined for text without any object. @throws AgentError `HOOK_OUTPUT` for invalid JSON */
export function printedOutput(stdout: string): object | undefined {
  if (!stdout.includes('{')) return undefined;
  let value: unknown;
  try {
    value = parseJson(stdout);
  } catch (cause) {
    throw new AgentError('it printed JSON that cannot be read', { code: 'HOOK_OUTPUT', cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AgentError('it printed no JSON object', 'HOOK_OUTPUT');
}

function parseJson(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value));
}

/** True for a plain object, not an instance of a class, whose fields may be anywhere; `Object.prototype` of another realm is fine. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The text, or its beginning and a word about what is missing. */
export function clip(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).toWellFormed()} [${text.length - maxCharacters} characters more]`;
}
