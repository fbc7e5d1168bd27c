import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentError, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { broken, type CommandText, parseCommandFile } from './parse-command-file.ts';

/** Bytes. */
const MAX_SIZE = 64 * 1024;
const NEWLINE = 0x0a;
/** Opening must not wait for a pipe that has no writer; Windows has neither flag. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK; // undefined on Windows, which adds nothing
/** No such file, or there cannot be one. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/**
 * Reads `path` below `directory`: only a regular file that really lies there; links below the directory are refused. Undefined when there
 * is no such file. Synchronous, so that messages keep the order in which they are sent.
 * @throws ValidationError naming the file, when it cannot be used
 */
export function readCommandFile(directory: string, path: string): CommandText | undefined {
  const file = join(directory, path);
  const root = realDirectory(directory);
  const opened = openIfThere(file);
  if (opened === undefined) return undefined;
  try {
    if (!fstatSync(opened).isFile()) throw unusable(file, 'is not a regular file');
    // Checked after opening: a file reached through a linked folder is not read.
    if (realpathSync(file) !== join(root, path)) throw isLink(file);
    return parseCommandFile(textOfFile(boundedBytes(opened, file), file), file);
  } catch (error) {
    throw isAgentError(error) ? error : unreadable(file, error);
  } finally {
    closeSync(opened);
  }
}

/** Resolves the links of a named directory. @throws ValidationError when it cannot be read */
export function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch (error) {
    const message = `The command directory ${directory} cannot be read: ${messageOf(error)}`;
    throw new ValidationError(message, 'commandDirectories');
  }
}

/** The error for a link below a named directory. */
export function isLink(path: string): ValidationError {
  return unusable(path, 'is a link or lies behind one; name the directory it leads to in commandDirectories instead');
}

function unreadable(file: string, error: unknown): ValidationError {
  return unusable(file, `cannot be read: ${messageOf(error)}`);
}

function unusable(file: string, what: string): ValidationError {
  return new ValidationError(`The command file ${file} ${what}`, 'commandDirectories');
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, FLAGS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (ABSENT.includes(code)) return undefined;
    throw code === 'ELOOP' ? isLink(file) : unreadable(file, error);
  }
}

function boundedBytes(opened: number, file: string): Uint8Array {
  const bytes = new Uint8Array(MAX_SIZE + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(opened, bytes, length, bytes.length - length, null);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
  }
  throw unusable(file, `has more than ${MAX_SIZE} bytes`);
}

/** Line by line, so that a wrong byte is found where it is. */
function textOfFile(bytes: Uint8Array, file: string): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const found = bytes.indexOf(NEWLINE, from);
    const end = found < 0 ? bytes.length : found + 1;
    try {
      text += decoder.decode(bytes.subarray(from, end));
    } catch {
      throw broken(file, line, 'the text is not UTF-8');
    }
    from = end;
  }
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
