import type { CommandLine } from './command-line.ts';
import type { CommandPattern, PatternWords } from './command-pattern.ts';
import { riskyWords } from './risky-words.ts';

/**
 * True only for a simple line whose every command matches one of the patterns: for allow rules. A command is what is spelled:
 * `/tmp/git` is not `git`, and `env git` is `env`. An option that makes a well-known program run or overwrite something else
 * ({@link riskyOptions}) is covered only by a pattern that spells it at its place, or by `*` as the program.
 */
export function isCovered(line: CommandLine, patterns: readonly CommandPattern[]): boolean {
  const spelled = line.commands.filter(({ via }) => via === undefined);
  if (!line.simple || spelled.length === 0) return false;
  const alternatives = patterns.flatMap((pattern) => pattern.alternatives);
  return spelled.every(({ words }) => {
    if (!words.every((word) => word !== undefined)) return false;
    const risky = riskyWords(words);
    return alternatives.some((pattern) => covers(pattern, words, risky));
  });
}

function covers({ words: wanted, rest }: PatternWords, words: readonly string[], risky: readonly number[]): boolean {
  if (words.length < wanted.length || (!rest && words.length > wanted.length)) return false;
  if (!wanted.every((word, index) => word.matches(words[index]!))) return false;
  return wanted[0]?.literal === undefined || risky.every((index) => wanted[index]?.literal !== undefined);
}
