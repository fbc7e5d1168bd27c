import { segmentPattern } from '@x/core/path-pattern';
import { ValidationError } from '@x/errors';
import { patternWords, type WrittenWord } from './pattern-words.ts';
import { spanningPattern } from './spanning-pattern.ts';

/** One word of a pattern. */
export interface PatternWord {
  /** The original text. */
  readonly text: string;
  /** The word itself, unquoted; absent when it contains a `*`. */
  readonly literal?: string;
  matches(word: string): boolean;
}

/** The words a command begins with. */
export interface PatternWords {
  /** Empty: any command. */
  readonly words: readonly PatternWord[];
  /** True when further words may follow in a pattern that allows; in one that forbids they always may. */
  readonly rest: boolean;
  /** A test of the words joined by blanks, where a `*` may stand for several: for a pattern that forbids. */
  readonly spans?: (command: string) => boolean;
}

/** A compiled rule about commands. */
export interface CommandPattern {
  /** The original text. */
  readonly text: string;
  /** A command matches when it matches one of these. */
  readonly alternatives: readonly PatternWords[];
}

const maxPatternLength = 2_000;

/**
 * Parses a pattern for one command: `git *` and `git:*` match `git` with any words after it (not `gitk`), `npm run test` only these words,
 * `*` any command. Within a word `*` stands for any characters (`npm run test:*`), and the `:*` at the end of several words also means any
 * further words (`git push:*`). Quotes work as in a shell and make a `*` literal.
 *
 * That is the meaning for allow rules: `npm run test*` allows `npm run tests` and no further word. Deny rules match more, since one that
 * denies too little guards nothing: everything after its words (`rm` denies `rm -rf /`), and a `*` stands for blanks too (`rm*` denies `rm
 * x` and `rmdir`, `*curl*` every command with these letters).
 * @throws ValidationError when it cannot mean one command
 */
export function parseCommandPattern(text: string): CommandPattern {
  if (typeof text !== 'string' || text.trim() === '') throw refusedPattern(text, 'is empty; write * for any command');
  if (text.length > maxPatternLength) throw refusedPattern(text, `is longer than ${maxPatternLength} characters`);
  if (text.includes('\0')) throw refusedPattern(text, 'holds a NUL, which no command can; leave it out');
  if (/^\s*[^\s'"]*("[^"]*")?,/.test(text))
    throw refusedPattern(text, 'has a comma behind its program; write words with blanks between them');
  const bare = text.replace(/'[^']*'|"[^"]*"/g, '_');
  if (/,\s/.test(bare)) throw refusedPattern(text, 'is a list; write one rule for each command');
  if (/\w\\[A-Za-z]/.test(bare))
    throw refusedPattern(text, 'is a regular expression; * stands for any characters of a word');
  if (/[^\S \t\n]|[\u200b\u200e\u200f\u2060\ufeff]/.test(bare))
    throw refusedPattern(text, 'holds a blank that is not plain or a sign that is not seen; write it by hand');
  if (/^\s*\/.*\.\*.*\/[a-z]*\s*$/.test(text))
    throw refusedPattern(text, 'is a regular expression; * stands for any characters of a word');
  const spelled = wordsOf(text, text);
  const beforeColon = text.trim().replace(/:\*$/, '');
  if (beforeColon === text.trim()) return { text, alternatives: [spelled] };
  const prefix: PatternWords = { ...wordsOf(text, beforeColon), rest: true };
  return { text, alternatives: spelled.words.length > 1 ? [prefix, spelled] : [prefix] };
}

function wordsOf(pattern: string, text: string): PatternWords {
  const written = patternWords(text);
  if ('fault' in written) throw refusedPattern(pattern, written.fault);
  const last = written.at(-1);
  const isRest = last?.wild === true && last.text === '*';
  const words = (isRest ? written.slice(0, -1) : written).map(patternWord);
  const spans = spanningPattern(written);
  return { words, rest: isRest, ...(spans ? { spans } : {}) };
}

function patternWord({ text, value, wild }: WrittenWord): PatternWord {
  return wild ? { text, matches: segmentPattern(value) } : { text, literal: value, matches: (word) => word === value };
}

function refusedPattern(pattern: string, why: string): ValidationError {
  const shown = typeof pattern === 'string' ? pattern.slice(0, 200) : String(pattern);
  return new ValidationError(
    `The command pattern '${shown}' ${why}. A pattern is one command, such as 'git *' or 'npm run test'`,
  );
}
