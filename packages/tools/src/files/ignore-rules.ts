import { type PathPattern, pathPattern } from '@x/core/path-pattern';

/** Verdicts of the `.gitignore` files above a path. Paths are absolute. */
export interface IgnoreRules {
  ignores(path: string, isDirectory: boolean): boolean;
  /** Undefined when no pattern matches the path. */
  verdict(path: string, isDirectory: boolean): boolean | undefined;
}

interface Rule {
  readonly pattern: PathPattern;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
}

/** No rules at all. */
export const noRules: IgnoreRules = { ignores: () => false, verdict: () => undefined };

/**
 * The rules of one `.gitignore` in `directory`, inside those of the directories above (gitignore(5)): the last matching pattern decides, an
 * inner file before an outer one. A walk must not enter an ignored directory: nothing in it is included again.
 */
export function ignoreRules(text: string, directory: string, outer: IgnoreRules = noRules): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line) => ruleOf(line) ?? [])
    .reverse();
  const depth = directory === '/' ? 1 : directory.split('/').length;
  const verdict = (path: string, isDirectory: boolean): boolean | undefined => {
    const segments = path.split('/').slice(depth);
    const rule = rules.find((each) => (isDirectory || !each.directoriesOnly) && each.pattern.matches(segments));
    return rule ? !rule.negated : outer.verdict(path, isDirectory);
  };
  return { verdict, ignores: (path, isDirectory) => verdict(path, isDirectory) === true };
}

function ruleOf(line: string): Rule | undefined {
  let pattern = withoutEnd(line);
  if (pattern.startsWith('#')) return undefined;
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return undefined;
  return { pattern: pathPattern(anchored ? pattern : `**/${pattern}`, { hidden: true }), negated, directoriesOnly };
}

/** Without the end of the line and trailing spaces, except one after a backslash. */
function withoutEnd(line: string): string {
  const text = line.replace(/\r$/, '');
  const trimmed = text.replace(/ +$/, '');
  const escaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(trimmed) && trimmed.length < text.length;
  return escaped ? `${trimmed} ` : trimmed;
}
