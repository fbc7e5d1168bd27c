import type { Word, WordPart } from 'unbash';
import { hasBraces } from './word-value.ts';

const MOST_ALTERNATIVES = 64;
const MOST_BRACES = 8;
/** Stands for the home directory until it is known whether a slash follows; no shell word can hold it. */
const HOME = '\0';
/** A file name pattern matches one name, any other expansion any text, with slashes. */
const ANYTHING = '**';

/**
 * Wildcard patterns for the possible results of a word with an expansion; empty for a word without one. A home directory at the beginning
 * is `~`, braces of literals are one pattern for each, a file name pattern stays one (`*`, `?`), and every other expansion is `**`: any
 * text, with slashes. Literal text keeps its characters, with wildcard characters escaped by a `\`.
 */
export function expandedPatterns(word: Word): readonly string[] {
  const parts = word.parts ?? [];
  const isTilde = /^~|[=:]~/.test(word.text);
  if (!isTilde && !parts.some(isExpansion)) return hasBraces(word) ? [ANYTHING] : [];
  if (hasBraces(word) && !parts.some(({ type }) => type === 'BraceExpansion')) return [ANYTHING];
  const braces = parts.filter(({ type }) => type === 'BraceExpansion').length;
  const patternsOf = (part: WordPart) =>
    part.type === 'BraceExpansion' && braces > MOST_BRACES ? [ANYTHING] : partPatterns(part);
  const pieces = word.parts ? parts.map(patternsOf) : [[escaped(word.value)]];
  const found = pieces.reduce<readonly string[]>(joined, ['']);
  return [...new Set(found.map((pattern) => withHome(pattern, word.text)))];
}

function joined(starts: readonly string[], ends: readonly string[]): readonly string[] {
  const all = starts.flatMap((start) => ends.slice(0, MOST_ALTERNATIVES).map((end) => start + end));
  return all.length <= MOST_ALTERNATIVES && ends.length <= MOST_ALTERNATIVES
    ? all
    : starts.map((start) => start + ANYTHING);
}

function withHome(pattern: string, text: string): string {
  const known = pattern.replace(/^\0(?=\/|$)/, '~').replaceAll(HOME, ANYTHING);
  return text.startsWith('~') ? known.replace(/^~[^/]+/, ANYTHING) : known;
}

function isExpansion(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.some(isExpansion);
  return !['Literal', 'SingleQuoted', 'AnsiCQuoted'].includes(part.type);
}

function partPatterns(part: WordPart): readonly string[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [escaped(part.value)];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [part.parts.flatMap(partPatterns).join('')];
    case 'SimpleExpansion':
      return [part.text === '$HOME' ? HOME : ANYTHING];
    case 'ParameterExpansion':
      return [part.text === '${HOME}' ? HOME : ANYTHING];
    case 'Glob':
      return [part.kind === 'star' ? '*' : '?'];
    case 'BraceExpansion':
      return braceAlternatives(part.text);
    default:
      return [ANYTHING];
  }
}

function braceAlternatives(text: string): readonly string[] {
  const inner = text.slice(1, -1);
  return inner.includes(',') && /^[\w.,:@%+/=~-]*$/.test(inner) ? inner.split(',').map(escaped) : [ANYTHING];
}

function escaped(text: string): string {
  return text.replaceAll(HOME, '').replace(/[*?[\\]/g, '\\$&');
}
