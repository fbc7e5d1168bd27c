import { recordOf } from './json-values.ts';

/** Longer text is not an error. */
const MOST_CHARACTERS = 64 * 1024;
/**
 * Finds an error in an event stream, or instead of it, as plain JSON over several lines: services and proxies end a failing stream this
 * way. The lines of an event never begin with a bracket.
 */
export class BareError {
  #text = '';
  #atLineStart = true;
  #depth = 0;
  #inString = false;
  /** The next character belongs to the backslash before it. */
  #isEscaped = false;

  /** The object with an `error`, once all of it has arrived. Every character is read once, however small the pieces are. */
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

  /** The end of the value that begins with the text, or has begun before; the end of the text when it continues. */
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

/** The text from the first line that begins with a bracket; empty without one. */
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
