export type { CommandLine, CommandWord, ParsedCommand } from './command-line.ts';
export { commandLineParser } from './command-line-parser.ts';
export { type CommandPattern, type PatternWord, type PatternWords, parseCommandPattern } from './command-pattern.ts';
export { isCovered } from './is-covered.ts';
export { maxCommandLineBytes } from './limits.ts';
export { mentions } from './mentions.ts';
export { interpreterPrograms } from './programs.ts';
export { type RiskyOptions, riskyOptions } from './risky-options.ts';
export { unreadCommandLine } from './unread-command-line.ts';
