import type { OwnCommand } from './own-commands.ts';

/** A word as the program gets it; `undefined` where the shell makes it while it runs (an expansion). */
export type CommandWord = string | undefined;

/** One command a line runs, the program first. */
export interface ParsedCommand {
  /** Unquoted. Never empty. */
  readonly words: readonly CommandWord[];
  /** What runs it, such as `env` or `bash`; absent when the line itself does. */
  readonly via?: string;
  /** True when any of the words may be the program: the options of what runs it are not known. */
  readonly anyWord?: true;
}

/** What a shell line runs, as far as it can be told without running it. */
export interface CommandLine {
  /** The line itself. */
  readonly text: string;
  /**
   * True when the line is nothing but commands that are spelled, joined by `;` `&&` `||` `|` or a newline, in groups, `if`, `for`
   * and `while`, and in substitutions, and nothing in it is unknown. Their words are plain, or expansions that do no more than make
   * words. An assignment, `&`, a here-document and every other redirect but `<`, `/dev/null` and those between descriptors are not.
   */
  readonly simple: boolean;
  /** The commands that a simple line runs itself, in the order of its text; allow rules are held against them. */
  readonly own: readonly OwnCommand[];
  /** True when a later one of them may run before an earlier one. */
  readonly repeats: boolean;
  /** The first thing that makes the line not simple, in words for a host; absent when it is simple. */
  readonly obstacle?: string;
  /** Every command at any depth, and every command these run in turn. */
  readonly commands: readonly ParsedCommand[];
  /** Files of redirects at any depth, where they are literal; unquoted. */
  readonly redirects: readonly string[];
  /** Literal texts that a command may get by way of a variable, a loop, or a here-string; unquoted. */
  readonly named: readonly string[];
  /**
   * Wildcard patterns for the words and redirects at any depth that hold an expansion: `~` at the beginning is a home directory,
   * a file name pattern `*` or `?`, any other expansion `**` (any text, with slashes), and `\\` makes a wildcard character plain. Braces of literals are one pattern each.
   */
  readonly expanded: readonly string[];
  /** Why the line may run what it does not name; empty when everything is named. */
  readonly unknown: readonly string[];
  /** Why the line could not be read whole. */
  readonly error?: string;
  /** True when the line is longer, deeper or more work than is read: it is taken to run everything. */
  readonly overLimit: boolean;
}
