import type { CommandLine, OwnCommand } from './command-line.ts';
import type { CommandPattern, PatternWords } from './command-pattern.ts';
import { quoted } from './quoted.ts';
import { obeysDirectory, riskyWords } from './risky-words.ts';

/**
 * The verdict of allow rules about a line; if they do not cover it, the first obstacle as a text for a host, and the pattern that matched
 * except for it.
 */
export type Coverage =
  | { readonly covered: true }
  | { readonly covered: false; readonly why?: string; readonly near?: CommandPattern };

type Words = OwnCommand['words'];

/** Builtins that run nothing and write nothing. */
const harmless = new Set(['[', 'test', 'true', 'false', ':', 'break', 'continue', 'exit']);

/**
 * The verdict for allow rules: covered is only a simple line whose every command matches one of the patterns. A command is what is spelled:
 * `/tmp/git` is not `git`, and `env git` is `env`. Builtins that only test, such as `[`, need no rule. An expansion is accepted where a
 * pattern accepts any further words. An option that makes a well-known program run or overwrite something else ({@link riskyOptions}) is
 * covered only by a pattern that spells it at its place, or by `*` as the program, and so is an expansion that may become one. After a `cd`
 * a program that obeys its directory, such as git, is covered by `*` only: `cd x; git status` is `git -C x status`.
 */
export function coverage(line: CommandLine, patterns: readonly CommandPattern[]): Coverage {
  if (!line.simple) {
    const { words = [] } = line.own.at(-1) ?? {}; // the command at which the reading stopped
    const near = patterns.find(
      ({ alternatives }) => words.length > 0 && alternatives.some((each) => isNear(each, words)),
    );
    return { covered: false, ...(line.obstacle ? { why: line.obstacle } : {}), ...(near ? { near } : {}) };
  }
  const alternatives = patterns.flatMap((pattern) => pattern.alternatives.map((each) => ({ pattern, each })));
  const moved = firstMove(line);
  let isCovered = false;
  for (const [at, command] of line.own.entries()) {
    const found = commandCoverage(command, alternatives, at > moved);
    if (found === 'harmless') continue;
    if (!found.covered) return found;
    isCovered = true;
  }
  if (isCovered) return { covered: true };
  return { covered: false, why: quoted(shownWords(line.own[0]?.words ?? []), 'matches no rule') };
}

interface Alternative {
  readonly pattern: CommandPattern;
  readonly each: PatternWords;
}

function commandCoverage(
  { words, apart = [] }: OwnCommand,
  alternatives: readonly Alternative[],
  isElsewhere: boolean,
): Coverage | 'harmless' {
  const near = alternatives.filter(({ each }) => isNear(each, words));
  if (near.length === 0 && harmless.has(shownWords(words.slice(0, 1)))) return 'harmless';
  const fitting = near.map(({ each }) => each);
  const why = obstacleOf(words, fitting, isElsewhere);
  if (why === undefined) return { covered: true };
  const parts = apart.map((part) => commandCoverage(part, alternatives, isElsewhere));
  const open = parts.find((part) => part === 'harmless' || !part.covered);
  if (parts.length > 0 && open === undefined) return { covered: true };
  return open !== undefined && open !== 'harmless'
    ? open
    : { covered: false, why, ...(near[0] ? { near: near[0].pattern } : {}) };
}

/** The index of the first command after which others run in another directory; before all of them when one may run again. */
function firstMove({ commands, own, repeats }: CommandLine): number {
  const isMove = (word: OwnCommand['words'][number] | undefined) =>
    typeof word === 'string' && /^(cd|pushd|popd)$/.test(word);
  if (!commands.some(({ words }) => isMove(words[0]))) return own.length;
  return repeats ? -1 : own.findIndex(({ words }) => isMove(words[0]));
}

/** The reason why none of the patterns that match except for obstacles covers the command. */
function obstacleOf(words: Words, near: readonly PatternWords[], isElsewhere: boolean): string | undefined {
  if (near.length === 0) return quoted(shownWords(words), 'matches no rule');
  const fitting = near.filter((pattern) =>
    words.slice(0, pattern.words.length).every((word) => typeof word === 'string'),
  );
  const loose = words.find((word) => typeof word !== 'string');
  if (fitting.length === 0) return quoted(loose!.text, 'is an expansion where the rule has a word');
  const risky = riskyWords(words);
  const spelling = fitting.filter((pattern) => spells(pattern, risky));
  if (spelling.length === 0) {
    const word = words[risky[0]!]!; // a pattern spells all words where none is risky
    if (typeof word !== 'string') return quoted(word.text, 'is an expansion in front of which no plain word stands');
    return `${quoted(word, 'may make')} ${shownWords(words.slice(0, 1))} run or write something else, and the rule does not spell it`;
  }
  if (!isElsewhere || !obeysDirectory(words) || spelling.some((pattern) => !namesProgram(pattern))) return undefined;
  return `${quoted(shownWords(words), 'follows cd')}, and ${shownWords(words.slice(0, 1))} obeys the directory it runs in`;
}

function shownWords(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : word.text)).join(' ');
}

function namesProgram({ words }: PatternWords): boolean {
  return words[0]?.literal !== undefined;
}

function spells(pattern: PatternWords, risky: readonly number[]): boolean {
  return !namesProgram(pattern) || risky.every((at) => pattern.words[at]?.literal !== undefined);
}

/** True when the pattern matches, with an expansion accepted for any word. */
function isNear({ words: wanted, rest }: PatternWords, words: Words): boolean {
  if (words.length < wanted.length || (!rest && words.length > wanted.length)) return false;
  return wanted.every((pattern, at) => {
    const word = words[at]!; // there are as many
    return typeof word !== 'string' || pattern.matches(word);
  });
}
