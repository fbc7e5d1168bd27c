import { recordOf } from './json-values.ts';

/** Longer errors are not read: whatever this is, it is no error. */
const MOST_CHARACTERS = 64 * 1024;
/**
 * Finds an error that stands in an event stream, or in its place, as plain JSON, over several lines: so services and the proxies before
 * them end a stream that fails on its way. The lines of an event never begin with a bracket.
 */
export class BareError {
  #text = '';
  #atLineStart = true;
  #depth = 0;
  #inString = false;
  /** The next character belongs to the backslash before it. */
  #isEscaped = false;

  /** The object whose `error` it is, once all of it has come. Every character is looked at once, however small the pieces are. */
  in(piece: string): Readonly<Record<string, unknown>> | undefined {
    let error: Readonly<Record<string, unknown>> | undefined;
    let rest = this.#depth === 0 ? this.#fromStart(piece) : piece;
    if (piece !== '') this.#atLineStart = piece.endsWith('\n') || piece.endsWith('\r');
    while (rest !== '' && error === undefined) {
      const end = this.#endIn(rest);
      if (this.#text.length < MOST_CHARACTERS) this.#text += rest.slice(0, end);
      if (this.#depth > 0) return undefined;
      error = errorIn(this.#text);
      this.#text = '';
      rest = lineWithBracket(rest.slice(end));
    }
    return error;
  }

  #fromStart(piece: string): string {
    return this.#atLineStart && (piece.startsWith('{') || piece.startsWith('[')) ? piece : lineWithBracket(piece);
  }

  /** Where the value ends that begins with the text, or has begun before; the end of the text when it goes on. */
  #endIn(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const letter = text[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (letter === '"') this.#inString = !this.#inString;
      else if (this.#inString) this.#isEscaped = letter === '\\';
      else if (letter === '{' || letter === '[') this.#depth++;
      else if ((letter === '}' || letter === ']') && --this.#depth === 0) return at + 1;
    }
    return text.length;
  }
}

/** The text from the first line on that begins with a bracket; empty when there is none. */
function lineWithBracket(text: string): string {
  const object = text.indexOf('\n{');
  const start = object < 0 ? text.indexOf('\n[') : object;
  return start < 0 ? '' : text.slice(start + 1);
}

function errorIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const whole = recordOf(Array.isArray(answer) ? answer[0] : answer);
    return whole?.['error'] ? whole : undefined;
  } catch {
    return undefined; // no JSON, or too much of it
  }
}
