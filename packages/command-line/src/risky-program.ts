/** Options and words with which one program runs another one, or writes a file of the caller's choice. */
export interface RiskyOptions {
  /**
   * Anywhere: `--long` (also shortened, or with `=value`), `-x` (also among other letters, or with its value attached), or a
   * whole word such as `-exec` of `find`, when `wholeWords` is set.
   */
  readonly options?: readonly string[];
  /** Options are one dash and a whole word. */
  readonly wholeWords?: true;
  /** Before the subcommand only. */
  readonly globalOptions?: readonly string[];
  /** Options before the subcommand that take the next word. */
  readonly globalValues?: readonly string[];
  /**
   * Subcommands: `true` for risky as a whole, or the options and words that are risky after it. An expression must match the words after
   * it, joined by blanks; else it is risky as a whole.
   */
  readonly subcommands?: Readonly<Record<string, true | readonly (string | RegExp)[]>>;
  /** Subcommands that are not named are risky as a whole. */
  readonly otherSubcommands?: true;
  /** Further operands are files that it writes. */
  readonly operands?: number;
  /** Subcommands that are risky by how they are spelled. */
  readonly oddSubcommand?: RegExp;
  /** True when it runs what the configuration of its directory says, whatever its arguments. */
  readonly obeysDirectory?: true;
  /** Words that are risky anywhere, except after these subcommands, which take them as text. */
  readonly words?: RegExp;
  readonly textSubcommands?: readonly string[];
  /** The first word is letters of options even without a dash. */
  readonly bareLetters?: true;
}
