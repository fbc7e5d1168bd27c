import { AgentError } from '@x/core';

/** A copy of what a hook is told, as JSON carries it: nothing of it is hidden, a key `__proto__` is there as an own one. @throws for what JSON cannot carry */
export function jsonCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

/** What a function has returned, as a plain object; undefined for nothing. @throws AgentError `HOOK_OUTPUT` */
export function returnedOutput(value: unknown): object | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isPlain(value)) throw new AgentError('it returned no plain object', 'HOOK_OUTPUT');
  return parseJson(JSON.stringify(value)) as object; // of an object without toJSON, checked above
}

/** What a command has printed; undefined for text that holds no object at all. @throws AgentError `HOOK_OUTPUT` for a broken one */
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

/** Not an instance of a class, whose fields may be anywhere; `Object.prototype` of another realm is fine. */
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
