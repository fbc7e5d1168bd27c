import { expandBraces, isLiteral, pathPattern } from '@x/core/path-pattern';

export interface GlobPattern {
  /** The directory the search starts in: the leading segments without wildcards. */
  readonly base: string;
  /** True when a path from the base matches. */
  matches(path: string): boolean;
  /** True when a directory, by its path from the base, may contain a match. */
  mayHold(directory: string): boolean;
}

/**
 * A glob with `*`, `?`, `[...]`, `**` and `{a,b}`. Names that begin with a dot are matched only if the pattern names them. Undefined when
 * its braces stand for more than 256 patterns.
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

/** Like `globPattern`, for choosing files of a walk: without a slash it is matched against names at any depth, and dots are included. */
export function fileFilter(pattern: string): ((path: string) => boolean) | undefined {
  const patterns = expandBraces(pattern)?.map((each) => {
    const wanted = tidied(each);
    return pathPattern(each.includes('/') ? wanted : `**/${wanted}`, { hidden: true });
  });
  return patterns && ((path) => patterns.some((each) => each.matches(path.split('/'))));
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
