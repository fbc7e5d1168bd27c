import { isAgentError, messageOf, ValidationError } from './errors.ts';

/** One fault of an input. */
export interface ValidationIssue {
  /** JSON pointer (RFC 6901) into the input; `''` is the whole of it. */
  readonly path: string;
  readonly message: string;
  /** The expected value, in a few words, if known. */
  readonly expected?: string;
}

/** Maximum number of names in one text, and of characters of each. */
const MOST_SHOWN = 100;
const MOST_OF_A_PATH = 1_000;
const MOST_OF_A_TEXT = 10_000;
/** Key of the text of all faults. A registered symbol, so that two copies of the package understand each other. */
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

/** Attaches the texts of all faults to the error, for `faultsText`. */
export function withText(error: ValidationError, texts: readonly string[]): ValidationError {
  return Object.defineProperty(error, ALL, { value: texts.join('; ').slice(0, MOST_OF_A_TEXT) });
}

/** The text for a reader who corrects all faults at once, such as a model: every fault of an input, else the message. */
export function faultsText(thrown: unknown): string {
  const all = isAgentError(thrown) ? (thrown as { readonly [ALL]?: unknown })[ALL] : undefined;
  return typeof all === 'string' ? all : messageOf(thrown);
}

/** The fault of an unknown name in the object at `path`. */
export function unknownParameter(name: string, known: readonly string[], path = ''): ValidationIssue {
  const place = `${path}/${pointerPart(name)}`;
  const expected = known.length === 0 ? 'no parameters' : `one of the names ${shownNames(known)}`;
  return { path: place, message: `Unknown parameter: ${shownPath(place)}`, expected };
}

/** The first 100 names, each with its first 100 characters, and the number of further ones. */
export function shownNames(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, MOST_SHOWN).map(shownName).join(separator);
  return names.length > MOST_SHOWN ? `${shown}${separator}${names.length - MOST_SHOWN} more` : shown;
}

/** The names of a JSON pointer for a message. */
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

/** The JSON pointer of the place reached by these names and indexes. */
export function jsonPointer(parts: readonly PropertyKey[]): string {
  let pointer = '';
  for (const part of parts) pointer += `/${pointerPart(String(part))}`;
  return pointer;
}

/** One name of a JSON pointer, escaped as in RFC 6901 section 3; a name of more than 1,000 characters is cut. */
export function pointerPart(given: string): string {
  const name = given.length > MOST_OF_A_PATH ? `${given.slice(0, MOST_OF_A_PATH)}...` : given;
  return name.includes('~') || name.includes('/') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

/** The names of a JSON pointer joined by dots; undefined for the whole. */
export function dottedPath(pointer: string): string | undefined {
  if (pointer === '') return undefined;
  let dotted = pointer.slice(1);
  if (dotted.includes('/')) dotted = dotted.replaceAll('/', '.');
  return dotted.includes('~') ? dotted.replaceAll('~1', '/').replaceAll('~0', '~') : dotted;
}
