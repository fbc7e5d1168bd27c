import type { OptionRule } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';

/** URLs, SQLite's own names (`:memory:`), the shell's home, and paths that no file system accepts. One letter before a colon is a drive. */
const NO_PATH = /^(?:$|:|~(?:[\\/]|$)|[a-z][a-z\d+.-]+:)|\0/i;

/** The rule for a path, which refuses names that would create an odd file. */
export function pathOf(kind: string): OptionRule {
  return is.rule(
    `the path of ${kind}, not a URL, without ~ (join it with homedir()); sessions without a file are in memoryStore()`,
    (path) => typeof path === 'string' && !NO_PATH.test(path),
  );
}
