import { isAgentError, messageOf, ValidationError } from './errors.ts';

/** One fault of an input. */
export interface ValidationIssue {
  /** JSON pointer (RFC 6901) into the input; `''` is the whole of it. */
  readonly path: string;
  readonly message: string;
  /** What would have fitted, in a few words, where that is known. */
  readonly expected?: string;
}

/** Of names in one text, and of characters of each. */
const MOST_SHOWN = 100;
const MOST_OF_A_PATH = 1_000;
const MOST_OF_A_TEXT = 10_000;
/** Carries the text of all faults. A registered symbol, so that two copies of the package understand each other. */
const ALL = Symbol.for('@x/all-faults');

/** The faults of an input as one error: `message` and `field` are those of the first, `details` are all of them; see `faultsText`. */
export function issuesError(
  issues: readonly ValidationIssue[],
  textOf: (issue: ValidationIssue) => string = (issue) => issue.message,
): ValidationError {
  const [first] = issues;
  const error = new ValidationError(first ? textOf(first) : '', first && dottedPath(first.path), issues);
  return issues.length > 1 ? withText(error, issues.map(textOf)) : error;
}

/** The error, with the texts of all its faults for `faultsText`. */
export function withText(error: ValidationError, texts: readonly string[]): ValidationError {
  return Object.defineProperty(error, ALL, { value: texts.join('; ').slice(0, MOST_OF_A_TEXT) });
}

/** What is wrong, for a reader who mends all of it at once, such as a model: every fault of an input, else the message. */
export function faultsText(thrown: unknown): string {
  const all = isAgentError(thrown) ? (thrown as { readonly [ALL]?: unknown })[ALL] : undefined;
  return typeof all === 'string' ? all : messageOf(thrown);
}

/** The fault of a name that is not among the known ones, of the object at `path`. */
export function unknownParameter(name: string, known: readonly string[], path = ''): ValidationIssue {
  const place = `${path}/${pointerPart(name)}`;
  const expected = known.length === 0 ? 'no parameters' : `one of the names ${shownNames(known)}`;
  return { path: place, message: `Unknown parameter: ${shownPath(place)}`, expected };
}

/** The first 100 names, each with its first 100 characters, and how many more there are. */
export function shownNames(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, MOST_SHOWN).map(shownName).join(separator);
  return names.length > MOST_SHOWN ? `${shown}${separator}${names.length - MOST_SHOWN} more` : shown;
}

/** The names of a JSON pointer as a message shows them. */
export function shownPath(pointer: string): string {
  if (pointer.length <= MOST_SHOWN) return dottedPath(pointer) ?? '';
  const names = pointer
    .split('/')
    .slice(1)
    .map((part) => shownName(dottedPath(`/${part}`) ?? ''));
  return names.join('.').slice(0, MOST_OF_A_PATH);
}

function shownName(name: string): string {
  return name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}...` : name;
}

/** The JSON pointer of the place that is reached by these names and indexes, one after the other. */
export function jsonPointer(parts: readonly PropertyKey[]): string {
  let pointer = '';
  for (const part of parts) pointer += `/${pointerPart(String(part))}`;
  return pointer;
}

/** One name of a JSON pointer, written as RFC 6901 section 3 wants it; a name of more than 1,000 characters is cut. */
export function pointerPart(given: string): string {
  const name = given.length > MOST_OF_A_PATH ? `${given.slice(0, MOST_OF_A_PATH)}...` : given;
  return name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

/** The names of a JSON pointer joined by dots, as people read them; undefined for the whole. */
export function dottedPath(pointer: string): string | undefined {
  if (pointer === '') return undefined;
  let dotted = pointer.slice(1);
  if (dotted.includes('/')) dotted = dotted.replaceAll('/', '.');
  return dotted.includes('~') ? dotted.replaceAll('~1', '/').replaceAll('~0', '~') : dotted;
}
