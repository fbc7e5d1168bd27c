const SPACE = /\s/;

/**
 * Splits what follows a command's name into its arguments, at white space. Quotes at the beginning of an argument keep white space:
 * `'...'` as it stands, `"..."` with `\"` and `\\`. Outside of quotes a backslash keeps white space, a quote or a backslash behind it.
 * All else is taken as it is: a quote inside a word (`don't`), a quote that is never closed, any other backslash.
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
  /** The index behind it. */
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

/** What stands in quotes; undefined where no quote is, or none that is closed. */
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
