/** A command that a message may begin with. */
export interface SlashCommand {
  /** Without the slash: `review`, or `folder:review`. */
  readonly name: string;
  readonly description: string;
  /** Usage such as `/review <file>`; absent when the command does not describe its arguments. */
  readonly usage?: string;
}

/** A message that has the form of a command. */
export interface CommandLine {
  readonly name: string;
  /** Everything after the name and its white space, as typed. */
  readonly rest: string;
}

/** Commands that need no file; no file replaces them. */
export const BUILT_IN: readonly SlashCommand[] = [
  { name: 'compact', description: 'Puts a summary in the place of older messages', usage: '/compact [instructions]' },
];

/** One part of a command's name: letters and digits of any script, `_`, and `-` after the first character. */
const PART = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_-]*`;
const NAME_PART = new RegExp(`^${PART}$`, 'u');
const LINE = new RegExp(String.raw`^/(${PART}(?::${PART})*)(?:\s+([^]*))?$`, 'u');

/** The command that a message begins with; undefined when it has another form, such as a path. */
export function commandLine(text: string): CommandLine | undefined {
  const match = LINE.exec(text);
  return match ? { name: match[1]!, rest: match[2] ?? '' } : undefined; // the name always takes part in a match
}

/** True when a file or folder name may be part of a command's name. */
export function isNamePart(name: string): boolean {
  return NAME_PART.test(name);
}
