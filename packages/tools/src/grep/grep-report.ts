import { BoundedLines } from '../text/bounded-lines.ts';
import { counted, cutLine } from '../text/numbered-lines.ts';
import { type Line, linesIn } from './file-lines.ts';
import type { FileMatches } from './search-files.ts';

export type GrepOutputMode = 'content' | 'files_with_matches' | 'count';
export interface GrepReportOptions {
  readonly mode: GrepOutputMode;
  /** Matching lines with `content`, files with the other modes. */
  readonly limit: number;
  /** Lines shown before and after each match, with `content`. */
  readonly context: number;
  /** Converts the path of a file for the report. */
  readonly shown: (path: string) => string;
}

const MAX_LINE_CHARACTERS = 500;

/**
 * The matches as text: `path`, `path:count`, or `path:number:line` with `path-number-line` for context and `--` between lines that are not
 * adjacent. Reads no further than the limit, and notes at the end that there is more.
 */
export async function grepReport(files: AsyncIterable<FileMatches>, options: GrepReportOptions): Promise<string> {
  const bounded = new BoundedLines();
  let left = options.limit;
  for await (const file of files) {
    const path = options.shown(file.path);
    const found = await take(file.lines, options.mode === 'content' ? left : wantedLines(options.mode));
    if (found.lines.length === 0 && !found.more) continue;
    if (left === 0) return bounded.text(limitNote(options));
    const shown =
      options.mode === 'content'
        ? contentOf(file, path, found.lines, options.context)
        : [entryOf(path, found, options)];
    if (bounded.lines.length > 0 && options.mode === 'content' && options.context > 0) shown.unshift('--');
    if (!shown.every((line) => bounded.add(line))) return bounded.text(roomNote(options));
    left -= options.mode === 'content' ? found.lines.length : 1;
    if (options.mode === 'content' && found.more) return bounded.text(limitNote(options));
  }
  return bounded.lines.length === 0 ? 'No matches.' : bounded.text();
}

interface Found {
  readonly lines: readonly Line[];
  /** There is at least one line after these. */
  readonly more: boolean;
}

async function take(lines: AsyncIterable<Line>, limit: number): Promise<Found> {
  const taken: Line[] = [];
  for await (const line of lines) {
    if (taken.length === limit) return { lines: taken, more: true };
    taken.push(line);
  }
  return { lines: taken, more: false };
}

function wantedLines(mode: GrepOutputMode): number {
  return mode === 'count' ? Infinity : 1;
}

function entryOf(path: string, { lines }: Found, { mode }: GrepReportOptions): string {
  return mode === 'count' ? `${path}:${lines.length}` : path;
}

function contentOf({ text }: FileMatches, path: string, matches: readonly Line[], context: number): string[] {
  const shown: string[] = [];
  const show = (line: Line, mark: ':' | '-') => {
    const content = text.slice(line.from, line.to).replace(/[\uDC00-\uDFFF]/g, wholeOrReplaced);
    shown.push(`${path}${mark}${line.number}${mark}${cutLine(content, MAX_LINE_CHARACTERS)}`);
  };
  if (context === 0) {
    for (const line of matches) show(line, ':');
    return shown;
  }
  const numbers = new Set(matches.map(({ number }) => number));
  let next = 0;
  let last = 0;
  for (const line of linesIn(text)) {
    while (next < matches.length && matches[next]!.number + context < line.number) next += 1;
    const match = matches[next];
    if (!match) break;
    if (line.number < match.number - context) continue;
    if (last > 0 && line.number > last + 1) shown.push('--');
    last = line.number;
    show(line, numbers.has(line.number) ? ':' : '-');
  }
  return shown;
}

/** A lone surrogate stands for an invalid byte. */
function wholeOrReplaced(half: string, at: number, text: string): string {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') ? half : '\uFFFD';
}

function limitNote({ mode, limit }: GrepReportOptions): string {
  const what = mode === 'content' ? 'matching lines' : 'files';
  return `Stopped after ${counted(limit)} ${what}; there are more. Narrow pattern, path or glob, or raise limit.`;
}

function roomNote({ mode }: GrepReportOptions): string {
  const hint = mode === 'content' ? ', or list files with output_mode files_with_matches' : '';
  return `Stopped at 30,000 characters; there is more. Narrow pattern, path or glob${hint}.`;
}
