import { parse } from 'unbash';
import type { CommandLine } from './command-line.ts';
import { maxCommandLineBytes } from './limits.ts';
import { ownCommands } from './own-commands.ts';
import { ScanLimit, Scanner } from './scanner.ts';
import { unreadCommandLine } from './unread-command-line.ts';

/**
 * Finds the commands of a bash line, as far as possible without running it. Never throws: unreadable lines have an `error`, undecidable
 * parts are in `unknown`. What a program does with its own arguments or files is not examined (`python -c`, `node -e`, `awk`, `make`, a
 * script): name such a program in a rule to decide about it. Texts given to shells are examined.
 */
export function parseCommandLine(line: string): CommandLine {
  if (exceedsBytes(line, maxCommandLineBytes))
    return unreadCommandLine(line, `it has more than ${maxCommandLineBytes} bytes`);
  const scanner = new Scanner(line);
  try {
    const script = parse(line);
    scanner.scan(script);
    for (const reason of oddities(line)) scanner.unknown.add(reason);
    const [error] = scanner.errors;
    const [unknown] = scanner.unknown;
    const own = ownCommands(script, line);
    const obstacle = error ?? own.obstacle ?? unknown;
    return {
      text: line,
      simple: obstacle === undefined,
      own: own.commands,
      repeats: own.repeats,
      ...(obstacle === undefined ? {} : { obstacle }),
      commands: scanner.commands,
      redirects: [...scanner.redirects],
      named: [...scanner.named],
      expanded: [...scanner.expanded],
      unknown: [...scanner.unknown],
      ...(error === undefined ? {} : { error }),
      overLimit: false,
    };
  } catch (error) {
    // In any case, a stack overflow or a fault of the parser, the line was not read.
    if (error instanceof ScanLimit) return unreadCommandLine(line, error.message);
    return unreadCommandLine(line, error instanceof RangeError ? 'it is nested too deeply' : 'the parser failed on it');
  }
}

function oddities(line: string): readonly string[] {
  const found: string[] = [];
  if (line.includes('\0')) found.push('the line holds a NUL, which ends or changes it');
  if (!line.isWellFormed()) found.push('the line is not well-formed text');
  return found;
}

function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  return new TextEncoder().encode(text).length > limit;
}
