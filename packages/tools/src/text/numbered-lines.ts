import { counted } from './counted.ts';

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
