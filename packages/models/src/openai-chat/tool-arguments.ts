import { toolInput } from '../wire/tool-input.ts';

/**
 * The input of a call from its streamed arguments. Some servers send them twice, in pieces and then complete, and some begin with an empty
 * object before the real one. `cut` as for `toolInput`.
 */
export function argumentsInput(text: string, cut: boolean): unknown {
  const input = toolInput(text, cut);
  if (typeof input !== 'string' || !input.startsWith('{')) return input;
  const end = endOfObject(text);
  const first = objectIn(text.slice(0, end));
  const rest = objectIn(text.slice(end));
  if (!first || !rest) return input;
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  if (isDeepStrictEqual(first, rest) || isEmpty(rest)) return first;
  return isEmpty(first) ? rest : input;
}

/** True when arguments are an object, and nothing else. */
export function isObjectText(text: string): boolean {
  return objectIn(text) !== undefined;
}

/** The end of the object at the start of a text; the end of the text when it is not closed. */
function endOfObject(text: string): number {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '"') inString = !inString;
    else if (!inString && character === '{') depth++;
    else if (!inString && character === '}' && --depth === 0) return at + 1;
  }
  return text.length;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // not JSON, or not whole
  }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
