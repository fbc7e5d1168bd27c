import type { CommandLine } from './command-line.ts';

/**
 * Returns the parser of command lines, loaded on first use. It finds the commands of a bash line, as far as possible without running it,
 * and never throws: unreadable lines have an `error`, undecidable parts are in `unknown`. What a program does with its own arguments or
 * files is not examined (`python -c`, `make`, a script); texts given to shells are.
 */
export async function commandLineParser(): Promise<(line: string) => CommandLine> {
  return (await import('./parse.ts')).parseCommandLine;
}
