import { ValidationError } from '@x/core';
import type { SessionCommand } from '../log/session-store.ts';
import { fillIn } from './fill-in.ts';
import { readCommandFile } from './read-command-file.ts';
import { commandLine } from './slash-command.ts';

/** A message as it goes into the log. */
export interface SentMessage {
  readonly text: string;
  /** What it asks of the session instead of the model. */
  readonly command?: SessionCommand;
}

/**
 * What a text comes to when it is sent: a built-in command, the text of a command file, read now, with its arguments, or itself
 * when it names no command. @throws ValidationError naming the file, for one that is broken
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
