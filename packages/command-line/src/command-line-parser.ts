import type { CommandLine } from './command-line.ts';

/**
 * The parser of command lines, loaded when it is first asked for. It says what a bash line runs, as far as it can be told without
 * running it, and never throws: what cannot be read is in `error`, what cannot be told in `unknown`. What a named program does with
 * its own arguments or files is not looked into (`python -c`, `make`, a script); shells given text are.
 */
export async function commandLineParser(): Promise<(line: string) => CommandLine> {
  return (await import('./parse.ts')).parseCommandLine;
}
