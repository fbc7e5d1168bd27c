const MAX_LINE_CHARACTERS = 2_000;

/** A line with its number as `cat -n` shows it; a long line is cut and says so. */
export function numberedLine(line: string, number: number): string {
  return `${String(number).padStart(6)}\t${cutLine(line, MAX_LINE_CHARACTERS)}`;
}

/** The line, or its first `maxCharacters` characters and a note of how long it is. */
export function cutLine(line: string, maxCharacters: number): string {
  if (line.length <= maxCharacters) return line;
  return `${wholeCharacters(line.slice(0, maxCharacters))}… [line cut: it has ${counted(line.length)} characters]`;
}

/** The text without half a surrogate pair at its end. */
export function wholeCharacters(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

/** A whole number as people write it: `30,000`. */
export function counted(amount: number): string {
  return amount.toLocaleString('en-US');
}

/** The lines of a text without their ends; `\n` and `\r\n` end a line, and one at the very end begins no other. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map(withoutReturn);
}

/** The number of the line, from 1, that holds the character at `index`. */
export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
