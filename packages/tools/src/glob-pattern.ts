import { pathPattern } from './path-pattern.ts';
import { isLiteral } from './segment-pattern.ts';

const MAX_ALTERNATIVES = 256;

export interface GlobPattern {
  /** The directory the search starts in: the leading segments without wildcards. */
  readonly base: string;
  /** Whether a path from the base matches. */
  matches(path: string): boolean;
  /** Whether a directory, by its path from the base, may hold a match. */
  mayHold(directory: string): boolean;
}

/**
 * A glob with `*`, `?`, `[...]`, `**` and `{a,b}`. Names that begin with a dot are matched only where the pattern names them.
 * Undefined when its braces stand for more than 256 patterns.
 */
export function globPattern(pattern: string): GlobPattern | undefined {
  const { base, rest } = splitBase(pattern);
  const alternatives = expandBraces(rest);
  if (!alternatives) return undefined;
  const patterns = alternatives.map((each) => pathPattern(tidied(each), { hidden: false }));
  return {
    base,
    matches: (path) => patterns.some((each) => each.matches(path.split('/'))),
    mayHold: (directory) => patterns.some((each) => each.mayHold(directory.split('/'))),
  };
}

/** As `globPattern`, for choosing files of a walk: without a slash it is held against names at any depth, and dots are seen. */
export function fileFilter(pattern: string): ((path: string) => boolean) | undefined {
  const patterns = expandBraces(pattern)?.map((each) => {
    const wanted = tidied(each);
    return pathPattern(each.includes('/') ? wanted : `**/${wanted}`, { hidden: true });
  });
  return patterns && ((path) => patterns.some((each) => each.matches(path.split('/'))));
}

/** Alternatives of `{a,b}`, nested ones too; braces without a comma are plain characters. */
export function expandBraces(pattern: string): string[] | undefined {
  const group = firstGroup(pattern);
  if (!group) return [pattern];
  const expanded: string[] = [];
  for (const option of group.options) {
    const alternatives = expandBraces(pattern.slice(0, group.start) + option + pattern.slice(group.end + 1));
    if (!alternatives || expanded.length + alternatives.length > MAX_ALTERNATIVES) return undefined;
    expanded.push(...alternatives);
  }
  return expanded;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly options: readonly string[];
}

function firstGroup(pattern: string): Group | undefined {
  for (let start = 0; start < pattern.length; start += 1) {
    if (pattern[start] === '\\') start += 1;
    else if (pattern[start] === '{') {
      const group = groupAt(pattern, start);
      if (group) return group;
    }
  }
  return undefined;
}

function groupAt(pattern: string, start: number): Group | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      options.push(pattern.slice(from, at));
      from = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0)
        return options.length > 0 ? { start, end: at, options: [...options, pattern.slice(from, at)] } : undefined;
    }
  }
  return undefined;
}

function splitBase(pattern: string): { base: string; rest: string } {
  const segments = pattern.split('/');
  let plain = 0;
  while (plain < segments.length - 1 && isLiteral(segments[plain]!)) plain += 1;
  const base = segments.slice(0, plain).join('/');
  return {
    base: base === '' && pattern.startsWith('/') && plain > 0 ? '/' : base,
    rest: segments.slice(plain).join('/'),
  };
}

function tidied(pattern: string): string {
  return pattern
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
