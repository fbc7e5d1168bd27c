const SPACE = /\s/;

/**
 * Splits the text after a command's name into arguments, at white space. An argument that begins with a quote keeps white space: `'...'`
 * verbatim, `"..."` with `\"` and `\\`. Outside of quotes a backslash escapes white space, a quote or a backslash. Everything else is
 * literal: a quote inside a word (`don't`), an unclosed quote, any other backslash.
 */
export function splitArguments(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (SPACE.test(text[at]!)) {
      at += 1;
      continue;
    }
    const { value, end } = argumentAt(text, at);
    found.push(value);
    at = end;
  }
  return found;
}

interface Part {
  readonly value: string;
  /** The index after it. */
  readonly end: number;
}

function argumentAt(text: string, start: number): Part {
  const quoted = quotedAt(text, start);
  let value = quoted?.value ?? '';
  let at = quoted?.end ?? start;
  while (at < text.length && !SPACE.test(text[at]!)) {
    const next = text[at + 1];
    if (text[at] === '\\' && next !== undefined && /[\s'"\\]/.test(next)) at += 1;
    value += text[at];
    at += 1;
  }
  return { value, end: at };
}

/** The quoted part at `start`; undefined without a quote there, or when it is not closed. */
function quotedAt(text: string, start: number): Part | undefined {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return undefined;
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return { value, end: at + 1 };
    const next = text[at + 1];
    if (quote === '"' && text[at] === '\\' && (next === '"' || next === '\\')) at += 1;
    value += text[at];
  }
  return undefined;
}
