import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { CommandText } from './parse-command-file.ts';
import { isLink, readCommandFile, realDirectory } from './read-command-file.ts';
import { BUILT_IN, isNamePart, type SlashCommand } from './slash-command.ts';

const SUFFIX = '.md';
/** Folders below a named directory. */
const MAX_DEPTH = 8;
/** Of all directories together. */
const MAX_COMMANDS = 1_000;
/** Characters of a description that is taken from the text. */
const MAX_DESCRIPTION = 80;

/**
 * The built-in commands and those of the directories, read now. When two directories have the same name, the earlier one wins.
 * @throws ValidationError naming the file that cannot be a command
 */
export function listCommands(directories: readonly string[]): SlashCommand[] {
  const found = new Map(BUILT_IN.map((command) => [command.name, command]));
  for (const directory of directories) {
    realDirectory(directory);
    for (const path of commandFiles(directory, [])) {
      const name = path.slice(0, -SUFFIX.length).replaceAll('/', ':');
      if (BUILT_IN.some((command) => command.name === name)) {
        throw refuseCommandFile(join(directory, path), `/${name} is built in; give the file another name`);
      }
      if (found.has(name)) continue;
      if (found.size >= MAX_COMMANDS)
        throw refuseCommandFile(directory, `there are more than ${MAX_COMMANDS} commands`);
      const text = readCommandFile(directory, path);
      if (text) found.set(name, described(name, text)); // it may be gone by now
    }
  }
  return [...found.values()];
}

/** The files of commands, as paths from the directory, in the order of their names. */
function* commandFiles(directory: string, folders: readonly string[]): Generator<string, void, void> {
  const place = join(directory, ...folders);
  if (folders.length > MAX_DEPTH) throw refuseCommandFile(place, `it lies more than ${MAX_DEPTH} folders deep`);
  for (const entry of entriesOf(place)) {
    const { name } = entry;
    if (name.startsWith('.')) continue;
    const isFile = name.endsWith(SUFFIX) && !entry.isDirectory();
    if (!isFile && !entry.isDirectory() && !entry.isSymbolicLink()) continue;
    if (entry.isSymbolicLink()) throw isLink(join(place, name));
    if (!isNamePart(isFile ? name.slice(0, -SUFFIX.length) : name)) {
      throw refuseCommandFile(join(place, name), 'its name can be no part of a command: letters, digits, _ and - only');
    }
    if (isFile) yield [...folders, name].join('/');
    else yield* commandFiles(directory, [...folders, name]);
  }
}

function entriesOf(place: string): Dirent[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    throw refuseCommandFile(place, messageOf(error));
  }
}

function described(name: string, { description, argumentHint, body }: CommandText): SlashCommand {
  return {
    name,
    description: description ?? firstLineOf(body),
    ...(argumentHint === undefined ? {} : { usage: `/${name} ${argumentHint}` }),
  };
}

/** The first line of the text, without the marks of a heading. */
function firstLineOf(body: string): string {
  const [line = ''] = body.split('\n');
  return line
    .replace(/^#+\s*/, '')
    .trim()
    .slice(0, MAX_DESCRIPTION)
    .toWellFormed();
}

function refuseCommandFile(path: string, why: string): ValidationError {
  return new ValidationError(`Commands cannot be read from ${path}: ${why}`, 'commandDirectories');
}
