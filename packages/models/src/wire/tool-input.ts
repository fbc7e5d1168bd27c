import { isObject, isRecord } from '@x/errors';

/** Levels that a value may have: many more overflow the stack of whoever walks it by recursion, as `JSON.stringify` does. */
const MOST_LEVELS = 500;
const QUOTE = 0x22;

/**
 * The input of a call from its streamed JSON. Invalid JSON becomes the text itself: an input that fails the tool's schema, so that the
 * model sees what was wrong; so does JSON with more than 500 levels. `cut` means that the reply was ended early, so that an empty text may
 * be an incomplete one.
 */
export function toolInput(text: string, cut: boolean): unknown {
  if (text.trim() === '') return cut ? text : {};
  if (isDeepText(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** An input that is already a value: itself, or its JSON when it has more than 500 levels. */
export function checkedInput(value: unknown): unknown {
  return isTooDeep(value) ? jsonText(value) : value;
}

/** The input as an object, which services demand; anything else, such as the text of a call that was cut off, is wrapped in one. */
export function objectInput(input: unknown): unknown {
  if (input === undefined || input === null) return {};
  return isRecord(input) ? input : { invalid_input: input };
}

/** Removes the fields with more than 500 levels; returns the object itself if there are none. */
export function withoutDeepFields<T extends Readonly<Record<string, unknown>>>(fields: T): Partial<T> {
  if (!isTooDeep(fields)) return fields;
  const kept = Object.entries(fields).filter(([, value]) => !isTooDeep(value, MOST_LEVELS - 1));
  return Object.fromEntries(kept) as Partial<T>; // safe: some of its own entries
}

/** True when a JSON value has more levels than `most`, by default 500. */
export function isTooDeep(value: unknown, most: number = MOST_LEVELS): boolean {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    const next: object[] = [];
    for (const container of level)
      for (const member of Object.values(container)) if (isObject(member)) next.push(member);
    level = next;
  }
  return false;
}

/** Serialises a JSON value like `JSON.stringify`, but with any number of levels. */
export function jsonText(value: unknown): string {
  let text = '';
  /** The rest still to be written, the next at the end. */
  const rest: { readonly before: string; readonly value?: unknown }[] = [{ before: '', value }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    text += next.before;
    if (!Object.hasOwn(next, 'value')) continue;
    if (!isObject(next.value)) {
      text += JSON.stringify(next.value);
      continue;
    }
    const isList = Array.isArray(next.value);
    text += isList ? '[' : '{';
    rest.push({ before: isList ? ']' : '}' });
    const members = Object.entries(next.value).map(([key, member], index) => {
      return {
        before: `${index === 0 ? '' : ','}${isList ? '' : `${JSON.stringify(key)}:`}`,
        value: member as unknown,
      };
    });
    for (const member of members.toReversed()) rest.push(member);
  }
  return text;
}

/** An id for a call without one; services accept at most 40 characters. */
export function newCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** Counts brackets only; the parser finds invalid JSON. */
function isDeepText(text: string): boolean {
  if (text.length <= 2 * MOST_LEVELS) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MOST_LEVELS) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** The end of the string that begins here. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
