import { type UserMessage, ValidationError } from '@x/core';
import { present } from '@x/core/internal';
import type { SessionCommand } from '../log/session-store.ts';
import { readCommandFile } from './read-command-file.ts';
import { type CommandLine, commandLine } from './slash-command.ts';
import { splitArguments } from './split-arguments.ts';

/** A message as it goes into the log. */
export interface SentMessage {
  readonly text: string;
  /** A command to the session; the model does not see it. */
  readonly command?: SessionCommand;
  /** The content, of a message that is a list of parts. @throws ValidationError, SessionError `ENTRY_TOO_LARGE` */
  readonly content?: () => Promise<UserMessage['content']>;
  /** What a server writes in place of the text. @throws ValidationError, McpError, AbortError */
  readonly prompt?: (signal?: AbortSignal) => Promise<UserMessage['content']>;
}

/**
 * Expands a text that is sent: a built-in command, the text of a command file (read now) with its arguments filled in, or the text itself
 * when it names no command. `promptOf` knows the commands that no file has. @throws ValidationError naming a file that is invalid
 */
export function expandMessage(
  text: string,
  directories: readonly string[],
  promptOf: (line: CommandLine) => SentMessage['prompt'] = () => undefined,
): SentMessage {
  const line = commandLine(text);
  if (!line) return { text };
  const { name, rest } = line;
  if (name === 'compact') {
    const instructions = rest.trim();
    return { text, command: { name, ...(instructions === '' ? {} : { instructions }) } };
  }
  for (const directory of directories) {
    const found = readCommandFile(directory, `${name.replaceAll(':', '/')}.md`);
    if (found) return { text: said(fillIn(found.body, rest), { name, hint: found.argumentHint }) };
  }
  return { text, ...present({ prompt: promptOf(line) }) };
}

function said(text: string, { name, hint }: { readonly name: string; readonly hint: string | undefined }): string {
  if (text.trim() !== '') return text;
  const usage = hint === undefined ? '' : `: /${name} ${hint}`;
  throw new ValidationError(`The command /${name} comes to an empty message; give it arguments${usage}`, 'message');
}

/** `$ARGUMENTS`, `$1` to `$9`, or a dollar that a backslash keeps. `$10` and `$ARGUMENTS_OF` are no places. */
const PLACE = /\\\$|\$(?:ARGUMENTS(?!\w)|([1-9])(?!\d))/g;

/**
 * A command's text with its arguments: `$ARGUMENTS` is all of them as they were typed, `$1` to `$9` are one each, empty where there is
 * none; `\$` is a dollar. What an argument contains is not looked at again. Where the text has no place for them, arguments follow it
 * behind an empty line.
 */
export function fillIn(text: string, rest: string): string {
  const values = splitArguments(rest);
  let hasPlace = false;
  const filled = text.replaceAll(PLACE, (place, number?: string) => {
    if (place === '\\$') return '$';
    hasPlace = true;
    return number === undefined ? rest : (values[Number(number) - 1] ?? '');
  });
  return hasPlace || rest.trim() === '' ? filled : `${filled}\n\n${rest}`;
}
