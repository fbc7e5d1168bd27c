import { hasLonePercent } from './uri-formats.ts';

const LEVELS = /^(?:0|[1-9]\d*)/;
const LONE_TILDE = /~(?![01])/;
const IN_FRAGMENT = /^#[\w.!$&'()*+,;:=@~/%-]*$/;

/** RFC 6901 section 3. */
export function isJsonPointer(text: string): boolean {
  return (text === '' || text.startsWith('/')) && !LONE_TILDE.test(text);
}

/** RFC 6901 section 6: a pointer, percent-encoded, as the fragment of a URI. */
export function isPointerFragment(text: string): boolean {
  return IN_FRAGMENT.test(text) && !hasLonePercent(text) && isJsonPointer(text.slice(1));
}

/** True for a number of levels up, then a pointer from there or `#` for the name of the place. */
export function isRelativePointer(text: string): boolean {
  const levels = LEVELS.exec(text)?.[0];
  if (levels === undefined) return false;
  const rest = text.slice(levels.length);
  return rest === '#' || isJsonPointer(rest);
}
