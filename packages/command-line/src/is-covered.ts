import type { CommandLine } from './command-line.ts';
import type { CommandPattern } from './command-pattern.ts';
import { coverage } from './coverage.ts';

/** True when allow rules with these patterns cover the line; {@link coverage} has the reason when they do not. */
export function isCovered(line: CommandLine, patterns: readonly CommandPattern[]): boolean {
  return coverage(line, patterns).covered;
}
