import type { CommandLine } from './command-line.ts';

/** A line that was not read, with the reason: it counts as running everything, and is not covered by any rule. */
export function unreadCommandLine(text: string, why: string): CommandLine {
  const error = `The line is not read: ${why}`;
  return {
    text,
    simple: false,
    own: [],
    repeats: false,
    obstacle: error,
    commands: [],
    redirects: [],
    named: [],
    expanded: [],
    unknown: [error],
    error,
    overLimit: true,
  };
}
