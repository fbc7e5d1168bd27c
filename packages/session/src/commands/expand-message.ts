import { ValidationError } from '@x/core';
import type { SessionCommand } from '../log/session-store.ts';
import { fillIn } from './fill-in.ts';
import { readCommandFile } from './read-command-file.ts';
import { commandLine } from './slash-command.ts';

/** A message as it goes into the log. */
export interface SentMessage {
  readonly text: string;
  /** A command to the session; the model does not see it. */
  readonly command?: SessionCommand;
}

/**
 * Expands a text that is sent: a built-in command, the text of a command file (read now) with its arguments filled in, or the text itself
 * when it names no command. @throws ValidationError naming a file that is invalid
 */
export function expandMessage(text: string, directories: readonly string[]): SentMessage {
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
  return { text };
}

function said(text: string, { name, hint }: { readonly name: string; readonly hint: string | undefined }): string {
  if (text.trim() !== '') return text;
  const usage = hint === undefined ? '' : `: /${name} ${hint}`;
  throw new ValidationError(`The command /${name} comes to an empty message; give it arguments${usage}`, 'message');
}
