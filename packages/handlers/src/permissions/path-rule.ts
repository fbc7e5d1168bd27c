import { ValidationError } from '@x/core';
import { expandBraces, isLiteral, type PathPattern, pathPattern } from '@x/core/path-pattern';
import { foldedName, isBelow, normalPath, segmentsOf } from './path-forms.ts';

/** One alternative of a path pattern, split at its first wildcard. */
export interface PathRule {
  /** The start of the pattern. */
  readonly from: 'cwd' | 'home' | 'root';
  /** The names before the first wildcard; may begin with `..`. */
  readonly base: readonly string[];
  /** The part from the first wildcard; absent without one. */
  readonly rest?: PathPattern;
  /** True when the pattern begins with `**`: a deny means it everywhere, not only below the working directory. */
  readonly anywhere: boolean;
  /** Set for a pattern of one name (`.env`, `*.pem`, `secrets/`): a deny means it at any depth, as in .gitignore. */
  readonly atAnyDepth?: PathPattern;
  /** A second meaning of the text, for a deny: `[id]` as a literal name, `a\*` below `a`, `**.ts` at any depth. */
  readonly also?: PathRule;
  readonly ignoreCase: boolean;
}
/** The directories that patterns start at, spelled and with their links resolved. */
export interface Places {
  readonly cwd: string;
  readonly resolvedCwd: string;
  readonly home?: string;
  readonly resolvedHome?: string;
  /** By the spelled path of a rule's base: the resolved one. */
  readonly resolvedBases: ReadonlyMap<string, string>;
}

/** Syntax of other tools that would match nothing here, with advice. */
const FOREIGN: readonly (readonly [sign: RegExp, advice: string])[] = [
  [/[\0\r\n\u200b\u200e\u200f\u2060\ufeff]/, 'it holds a sign that is not seen, a line break or a NUL; leave it out'],
  [/^\s|\s$/, 'a blank at the beginning or the end is part of the name; leave it out'],
  [/[?+@]\(/, 'parentheses are part of the name; write {a,b}, or a rule for each path'],
  [/\s(\.[\w*]|\.{0,2}\/|~)|\*\S*\s+\*/, 'it seems to be a list; write a rule for each path, or {a,b}'],
  [/^(["'`]).*\1$/s, 'quotes are part of the name; leave them out'],
  [/^!/, 'a pattern cannot be negated; name the paths that the rule is about'],
  [/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, 'it is an address; write a path, or domain:<host> for a tool that fetches'],
  [
    /^(paths?|files?|file_path|globs?|regexp?):|^[:<]|(^|\/)\.\.\.(\/|$)/,
    'words for kinds of patterns and for places are not known; write the path, with ** for any directories',
  ],
  [/\{\w+\.\.\w+\}/, 'braces hold no ranges; write {a,b}'],
  [/^(\$[{(]|\$env:|\$[A-Z_]+(\/|$)|%[A-Z_]+%)/, 'variables are not expanded; write ~ or the whole path'],
  [/:\*$/, ':* is for commands; write <directory>/** for all that is below'],
  [
    /^\^|(^|[^\\])\$\/?$|\.\*\\\./,
    'it is not a regular expression: * stands for any characters of a name, ** for any directories',
  ],
  [/\\[A-Za-z0-9]/, 'a backslash only makes the next sign plain; directories are separated by /'],
];

/**
 * Parses `**\/.env`, `src/**`, `~/x`, `/etc/*`, `{a,b}/c`; a trailing `/` means everything below. A backslash makes the next character
 * literal.
 * @throws ValidationError with advice for a pattern that would match nothing
 */
export function parsePathRules(text: string, { ignoreCase = false }: { ignoreCase?: boolean } = {}): PathRule[] {
  for (const [sign, advice] of FOREIGN) if (sign.test(text)) throw new ValidationError(advice);
  const bare = text.replace(/\\[^]/g, '_').replace(/\{[^{}]*\}/g, (braces) => braces.replaceAll(',', '_'));
  const joint = /[|,;]/.exec(bare)?.[0];
  if (joint !== undefined) {
    throw new ValidationError(`write a rule for each path, or {a,b}; in a name write \\${joint}`);
  }
  const alternatives = expandBraces(text);
  if (!alternatives) throw new ValidationError('its braces stand for more than 256 alternatives; write fewer');
  return alternatives.map((one) => {
    const rule = parseOne(one, ignoreCase);
    const wider = one
      .replace(/(?<!\\)[[\]]/g, '\\$&')
      .replace(/(?<=[\w.])\\(?=[.*])/g, '/')
      .replace(/(?<=^|\/)\*\*+(?=[^/*])/g, '**/*');
    return wider === one ? rule : { ...rule, also: parseOne(wider, ignoreCase) };
  });
}

function parseOne(text: string, ignoreCase: boolean): PathRule {
  if (/^~[^/]/.test(text)) throw new ValidationError('only ~ itself is known, not the homes of other users');
  const from = text.startsWith('/') ? 'root' : text.startsWith('~') ? 'home' : 'cwd';
  const folded = ignoreCase ? foldedName(text) : text;
  const parts = segmentsOf(from === 'home' ? folded.slice(1) : folded).filter((part) => part !== '.');
  if (text.endsWith('/')) parts.push('**');
  const wildcard = parts.findIndex((part) => !isLiteral(part));
  const cut = wildcard === -1 ? parts.length : wildcard;
  const rest = parts.slice(cut);
  if (rest.includes('..'))
    throw new ValidationError('.. after a wildcard can mean anything; write the path without it');
  return {
    from,
    base: parts.slice(0, cut),
    ...(rest.length > 0 ? { rest: pathPattern(rest.join('/'), { hidden: true }) } : {}),
    anywhere: from === 'cwd' && cut === 0 && rest[0] === '**',
    ...(isOneName(text) ? { atAnyDepth: pathPattern(`**/${folded.replace(/\/$/, '')}`, { hidden: true }) } : {}),
    ignoreCase,
  };
}

function isOneName(text: string): boolean {
  return /^[^/]+\/?$/.test(text) && !/^(\.{1,2}|~|\*+)\/?$/.test(text);
}

/** The spelled path of the names before the first wildcard; undefined for a pattern without them. */
export function baseOf(rule: PathRule, places: Places): string | undefined {
  const start = startsOf(rule, places)[0];
  return rule.base.length === 0 || start === undefined ? undefined : normalPath(rule.base.join('/'), start);
}

/**
 * For deny and ask: true when the pattern means the path, or a directory around it; the base also counts with its links resolved. A pattern
 * that begins with `/` also counts from the working directory, as in .gitignore.
 */
export function touches(rule: PathRule, path: string, places: Places): boolean {
  const { atAnyDepth, ignoreCase, from, also } = rule;
  if (also && touches(also, path, places)) return true;
  if (atAnyDepth?.touches(segmentsOf(ignoreCase ? foldedName(path) : path))) return true;
  const starts = [...startsOf(rule, places), ...(from === 'root' ? [places.cwd, places.resolvedCwd] : [])];
  const bases = starts.map((start) => normalPath(rule.base.join('/'), start));
  const resolved = places.resolvedBases.get(bases[0] ?? '');
  const all = [...bases, ...(resolved === undefined ? [] : [resolved]), ...(rule.anywhere ? ['/'] : [])];
  return all.some((base) => {
    const below = segmentsBelow(rule, base, path);
    return below !== undefined && (!rule.rest || rule.rest.touches(below));
  });
}

/** For allow: true when the pattern means exactly this path. */
export function means(rule: PathRule, path: string, places: Places): boolean {
  return startsOf(rule, places).some((start) => {
    const below = segmentsBelow(rule, normalPath(rule.base.join('/'), start), path);
    return below !== undefined && (rule.rest ? rule.rest.matches(below) : below.length === 0);
  });
}

function startsOf({ from }: PathRule, { cwd, resolvedCwd, home, resolvedHome }: Places): string[] {
  if (from === 'root') return ['/'];
  const starts = from === 'cwd' ? [cwd, resolvedCwd] : [home, resolvedHome];
  return starts.filter((start) => start !== undefined);
}

function segmentsBelow({ ignoreCase }: PathRule, base: string, path: string): string[] | undefined {
  const [from, to] = ignoreCase ? [foldedName(base), foldedName(path)] : [base, path];
  return isBelow(to, from) ? segmentsOf(to).slice(segmentsOf(from).length) : undefined;
}
