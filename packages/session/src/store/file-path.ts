import { ValidationError } from '@x/core';

/** URLs, SQLite's own names (`:memory:`), the shell's home, and what no file system takes. One letter before a colon is a drive. */
const NO_PATH = /^(?:$|:|~(?:[\\/]|$)|[a-z][a-z\d+.-]+:)|\0/i;

/** Refuses what would become a file of an odd name. @throws ValidationError */
export function checkPath(path: unknown, option: string, kind: string): asserts path is string {
  if (typeof path === 'string' && !NO_PATH.test(path)) return;
  throw new ValidationError(
    `${option} must be the path of ${kind}, not a URL, without ~ (join it with homedir()); sessions without a file are in memoryStore()`,
    option,
  );
}
