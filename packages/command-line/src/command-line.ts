/** A word as the program gets it; `undefined` for one that the shell computes (an expansion). */
export type CommandWord = string | undefined;

/** The words that it becomes: one, several that begin alike, or any number of any words. */
export type Becoming = 'one' | 'alike' | 'any';

/** A word that the shell computes without side effects: an argument that may be any text. */
export interface LooseWord {
  /** The original text. */
  readonly text: string;
  /** The literal text at the beginning of its result; for a home directory its slash. */
  readonly starts: string;
  /** The literal text at the end of each word of its result, if certain. */
  readonly ends: string;
  readonly becomes: Becoming;
  /** The scripts it runs to get its text. */
  readonly scripts: readonly string[];
  /** Plain text and variables that the line does not set: their values come from the host's environment, and are no options. */
  readonly given?: true;
}

/** A command as spelled; its words literal, or loose when the shell computes them. Never empty. */
export interface OwnCommand {
  readonly words: readonly (string | LooseWord)[];
  /** The command of `find -exec`, and the words without it: each must be covered by itself. */
  readonly apart?: readonly OwnCommand[];
}

/** One command of a line, the program first. */
export interface ParsedCommand {
  /** Unquoted. Never empty. */
  readonly words: readonly CommandWord[];
  /** The program that runs it, such as `env` or `bash`; absent when the line itself does. */
  readonly via?: string;
  /** True when any of the words may be the program: the options of the wrapper are not known. */
  readonly anyWord?: true;
}

/** The commands of a shell line, as far as they are known without running it. */
export interface CommandLine {
  /** The line itself. */
  readonly text: string;
  /**
   * True when the line consists only of spelled commands, joined by `;` `&&` `||` `|` or a newline, in groups, `if`, `for` and `while`, and
   * in substitutions, and nothing in it is unknown. Their words are plain, or expansions that only make words. An assignment, `&`, a
   * here-document and any redirect except `<`, `/dev/null` and those between descriptors make it false.
   */
  readonly simple: boolean;
  /** The commands that a simple line runs itself, in the order of its text; allow rules are matched against them. */
  readonly own: readonly OwnCommand[];
  /** True when a later one of them may run before an earlier one. */
  readonly repeats: boolean;
  /** The first thing that makes the line not simple, as a text for a host; absent when it is simple. */
  readonly obstacle?: string;
  /** Every command at any depth, and every command these run in turn. */
  readonly commands: readonly ParsedCommand[];
  /** Files of redirects at any depth, where they are literal; unquoted. */
  readonly redirects: readonly string[];
  /** Literal texts that a command may get through a variable, a loop, or a here-string; unquoted. */
  readonly named: readonly string[];
  /**
   * Wildcard patterns for the words and redirects at any depth that hold an expansion: `~` at the beginning is a home directory,
   * a file name pattern `*` or `?`, any other expansion `**` (any text, with slashes), and `\\` makes a wildcard character plain. Braces of literals are one pattern each.
   */
  readonly expanded: readonly string[];
  /** Reasons why the line may run something it does not name; empty when everything is named. */
  readonly unknown: readonly string[];
  /** The reason why the line could not be read completely. */
  readonly error?: string;
  /** True when the line exceeds the limits of length, depth or work: it counts as running everything. */
  readonly overLimit: boolean;
}
