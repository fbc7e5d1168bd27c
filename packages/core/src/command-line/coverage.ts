import type { CommandLine, CommandWord } from './command-line.ts';
import type { CommandPattern, PatternWords } from './command-pattern.ts';
import { obeysDirectory, riskyWords } from './risky-words.ts';
import { quoted } from './simple-script.ts';

/** Whether allow rules cover a line; where not, the first obstacle in words for a host, and the pattern that matched but for it. */
export type Coverage =
  | { readonly covered: true }
  | { readonly covered: false; readonly why?: string; readonly near?: CommandPattern };

/**
 * Covered is only a simple line whose every command matches one of the patterns: for allow rules. A command is what is spelled:
 * `/tmp/git` is not `git`, and `env git` is `env`. An option that makes a well-known program run or overwrite something else
 * ({@link riskyOptions}) is covered only by a pattern that spells it at its place, or by `*` as the program. Behind a `cd` a
 * program that obeys the directory it runs in, such as git, is covered by `*` only: `cd x; git status` is `git -C x status`.
 */
export function coverage(line: CommandLine, patterns: readonly CommandPattern[]): Coverage {
  const own = line.commands.filter(({ via }) => via === undefined); // what runs the others is what is spelled
  if (!line.simple) {
    const near = patterns.find((pattern) => own.some(({ words }) => fits(pattern, words, [])));
    return { covered: false, ...(line.obstacle ? { why: line.obstacle } : {}), ...(near ? { near } : {}) };
  }
  if (own.length === 0) return { covered: false, why: 'the line runs nothing' };
  const moved = line.commands.findIndex(({ words }) => /^(cd|pushd|popd)$/.test(words[0] ?? ''));
  for (const command of own) {
    const isElsewhere = moved !== -1 && moved < line.commands.indexOf(command);
    const found = commandCoverage(command.words, patterns, isElsewhere);
    if (!found.covered) return found;
  }
  return { covered: true };
}

function commandCoverage(
  words: readonly CommandWord[],
  patterns: readonly CommandPattern[],
  isElsewhere: boolean,
): Coverage {
  const shown = words.map((word) => word ?? '?').join(' ');
  const open = words.indexOf(undefined);
  const risky = open === -1 ? riskyWords(words.map((word) => word ?? '')) : [];
  const near = patterns.find((pattern) => fits(pattern, words, []));
  if (!near) return { covered: false, why: quoted(shown, 'matches no rule') };
  if (open !== -1) return { covered: false, why: quoted(shown, 'holds an expansion'), near };
  const spelling = patterns.filter((pattern) => fits(pattern, words, risky));
  if (spelling.length === 0) {
    const at = risky[0] ?? 0;
    return {
      covered: false,
      why: `${quoted(words[at] ?? '', '')}may make ${words[0]} run or write something else`,
      near,
    };
  }
  if (!isElsewhere || !obeysDirectory(words.map((word) => word ?? ''))) return { covered: true };
  if (spelling.some(({ alternatives }) => alternatives.some((each) => !namesProgram(each)))) return { covered: true };
  return {
    covered: false,
    why: `${quoted(shown, 'follows cd')}, and ${words[0]} obeys the directory it runs in`,
    near,
  };
}

function namesProgram({ words }: PatternWords): boolean {
  return words[0]?.literal !== undefined;
}

/** Whether the pattern matches, and spells each of the words that are risky; a word that is not known matches. */
function fits({ alternatives }: CommandPattern, words: readonly CommandWord[], risky: readonly number[]): boolean {
  return alternatives.some(({ words: wanted, rest }) => {
    if (words.length < wanted.length || (!rest && words.length > wanted.length)) return false;
    if (!wanted.every((word, index) => (words[index] === undefined ? index > 0 : word.matches(words[index]))))
      return false;
    return !namesProgram({ words: wanted, rest }) || risky.every((index) => wanted[index]?.literal !== undefined);
  });
}
