import { ValidationError } from './errors.ts';

/** One fault of an input. */
export interface ValidationIssue {
  /** JSON pointer (RFC 6901) into the input; `''` is the whole of it. */
  readonly path: string;
  readonly message: string;
  /** What would have fitted, in a few words, where that is known. */
  readonly expected?: string;
}

/** The faults of an input as one error: `message` tells all of them, `field` names the first, `details` are the issues. */
export function issuesError(
  issues: readonly ValidationIssue[],
  textOf: (issue: ValidationIssue) => string = (issue) => issue.message,
): ValidationError {
  const first = issues[0];
  return new ValidationError(issues.map(textOf).join('; '), first && dottedPath(first.path), issues);
}

/** The JSON pointer of the place that is reached by these names and indexes, one after the other. */
export function jsonPointer(parts: readonly PropertyKey[]): string {
  let pointer = '';
  for (const part of parts) pointer += `/${pointerPart(String(part))}`;
  return pointer;
}

/** One name of a JSON pointer, written as RFC 6901 section 3 wants it. */
export function pointerPart(name: string): string {
  return name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

/** The names of a JSON pointer joined by dots, as people read them; undefined for the whole. */
export function dottedPath(pointer: string): string | undefined {
  if (pointer === '') return undefined;
  let dotted = pointer.slice(1);
  if (dotted.includes('/')) dotted = dotted.replaceAll('/', '.');
  return dotted.includes('~') ? dotted.replaceAll('~1', '/').replaceAll('~0', '~') : dotted;
}
