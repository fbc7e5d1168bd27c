import { linesOf } from './text/numbered-lines.ts';

/**
 * The probable reason why a text was not found, for the model: the place where it would match with white space ignored, or another
 * difference.
 */
export function mismatchHint(text: string, wanted: string): string {
  const lines = linesOf(text).map(squeezed);
  const place = placeOf(lines, trimmed(linesOf(wanted).map(squeezed)));
  if (place) return `It matches ${place} when white space is ignored; Read those lines and copy them exactly.`;
  const numberless = linesOf(wanted).map((line) => squeezed(line.replace(/^\s*\d+\t/, '')));
  const unnumbered = placeOf(lines, trimmed(numberless));
  if (unnumbered) return `It matches ${unnumbered} without the line numbers, which are not part of the file.`;
  const first = trimmed(linesOf(wanted).map(squeezed))[0];
  const at = first === undefined ? -1 : lines.indexOf(first);
  if (at !== -1) return `Its first line is line ${at + 1} of the file, but what follows differs; Read the file again.`;
  return 'Read the file again and copy the text exactly.';
}

function placeOf(lines: readonly string[], wanted: readonly string[]): string | undefined {
  if (wanted.length === 0) return undefined;
  const at = lines.findIndex((_, index) =>
    wanted.every((line, step) => matches(lines[index + step], line, wanted.length)),
  );
  if (at === -1) return undefined;
  return wanted.length === 1 ? `line ${at + 1}` : `lines ${at + 1} to ${at + wanted.length}`;
}

/** A single line may match a part of one. */
function matches(line: string | undefined, wanted: string, wantedLines: number): boolean {
  return wantedLines === 1 ? line?.includes(wanted) === true : line === wanted;
}

function trimmed(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line !== '');
  return start === -1 ? [] : lines.slice(start, lines.findLastIndex((line) => line !== '') + 1);
}

function squeezed(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}
