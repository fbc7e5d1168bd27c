import { type PathPattern, pathPattern } from './path-pattern.ts';

/** Verdicts of the `.gitignore` files above a path. Paths are absolute. */
export interface IgnoreRules {
  ignores(path: string, isDirectory: boolean): boolean;
  /** The last pattern that matches the path, as it is written; `!` at its beginning includes the path again. Undefined without one. */
  decisive(path: string, isDirectory: boolean): string | undefined;
}

interface Rule {
  readonly text: string;
  readonly pattern: PathPattern;
  readonly directoriesOnly: boolean;
}

/** No rules at all. */
export const noRules: IgnoreRules = { ignores: () => false, decisive: () => undefined };

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
  const decisive = (path: string, isDirectory: boolean): string | undefined => {
    const segments = path.split('/').slice(depth);
    const rule = rules.find((each) => (isDirectory || !each.directoriesOnly) && each.pattern.matches(segments));
    return rule?.text ?? outer.decisive(path, isDirectory);
  };
  const ignores = (path: string, isDirectory: boolean) => decisive(path, isDirectory)?.startsWith('!') === false;
  return { decisive, ignores };
}

function ruleOf(line: string): Rule | undefined {
  const text = withoutEnd(line);
  let pattern = text;
  if (pattern.startsWith('#')) return undefined;
  if (pattern.startsWith('!')) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return undefined;
  return { text, pattern: pathPattern(anchored ? pattern : `**/${pattern}`, { hidden: true }), directoriesOnly };
}

/** Without the end of the line and trailing spaces, except one after a backslash. */
function withoutEnd(line: string): string {
  const text = line.replace(/\r$/, '');
  const trimmed = text.replace(/ +$/, '');
  const escaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(trimmed) && trimmed.length < text.length;
  return escaped ? `${trimmed} ` : trimmed;
}
