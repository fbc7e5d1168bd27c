/** Options and words of one program by which it runs another one, or writes a file of the caller's choice. */
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
   * Subcommands: `true` for as a whole, or the options and words that are risky behind it. An expression is what the words behind
   * it, joined by blanks, must match; else it is risky as a whole.
   */
  readonly subcommands?: Readonly<Record<string, true | readonly (string | RegExp)[]>>;
  /** Subcommands that are not named are risky as a whole. */
  readonly otherSubcommands?: true;
  /** Further operands are files that it writes. */
  readonly operands?: number;
  /** Subcommands that are risky by how they are spelled. */
  readonly oddSubcommand?: RegExp;
  /** It runs what the configuration of its directory says, whatever it is asked to do. */
  readonly obeysDirectory?: true;
  /** Words that are risky wherever they stand, but for those behind these subcommands, which take them for text. */
  readonly words?: RegExp;
  readonly textSubcommands?: readonly string[];
  /** The first word is letters of options even without a dash. */
  readonly bareLetters?: true;
}
