import type { CommandLine } from './command-line.ts';
import type { CommandPattern, PatternWords } from './command-pattern.ts';
import { obeysDirectory, riskyWords } from './risky-words.ts';

/**
 * True only for a simple line whose every command matches one of the patterns: for allow rules. A command is what is spelled:
 * `/tmp/git` is not `git`, and `env git` is `env`. An option that makes a well-known program run or overwrite something else
 * ({@link riskyOptions}) is covered only by a pattern that spells it at its place, or by `*` as the program. Behind a `cd` a
 * program that obeys the directory it runs in, such as git, is covered by `*` only: `cd x; git status` is `git -C x status`.
 */
export function isCovered(line: CommandLine, patterns: readonly CommandPattern[]): boolean {
  if (!line.simple || line.commands.length === 0) return false;
  const alternatives = patterns.flatMap((pattern) => pattern.alternatives);
  const moved = line.commands.findIndex(({ words }) => /^(cd|pushd|popd)$/.test(words[0] ?? ''));
  return line.commands.every(({ words, via }, at) => {
    if (via !== undefined) return true; // what runs it is what is spelled
    if (!words.every((word) => word !== undefined)) return false;
    const risky = riskyWords(words);
    const isElsewhere = moved !== -1 && moved < at && obeysDirectory(words);
    return alternatives.some((pattern) => covers(pattern, words, risky) && !(isElsewhere && namesProgram(pattern)));
  });
}

function namesProgram({ words }: PatternWords): boolean {
  return words[0]?.literal !== undefined;
}

function covers({ words: wanted, rest }: PatternWords, words: readonly string[], risky: readonly number[]): boolean {
  if (words.length < wanted.length || (!rest && words.length > wanted.length)) return false;
  if (!wanted.every((word, index) => word.matches(words[index]!))) return false;
  return !namesProgram({ words: wanted, rest }) || risky.every((index) => wanted[index]?.literal !== undefined);
}
