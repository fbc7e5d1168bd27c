import { resolve } from 'node:path';
import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { requireNode } from '../host/node-version.ts';
import type { SessionStore } from '../log/session-store.ts';
import { directoryStore } from './directory-store.ts';
import { fileStore } from './file-store.ts';
import { pathOf } from './session-files.ts';

/** Location of the store. A relative path is resolved against the working directory of this call. */
export type SqliteStoreOptions =
  | {
      /** The one file of all sessions; made with mode 0600 in a directory of mode 0700. */
      readonly path: string;
      readonly directory?: never;
    }
  | {
      /** The directory of the files, one for each session; made with mode 0700. */
      readonly directory: string;
      readonly path?: never;
    };

const FILE: OptionRules<SqliteStoreOptions> = { path: is.required(pathOf('a file')), directory: is.anything };
const DIRECTORY: OptionRules<SqliteStoreOptions> = { path: is.anything, directory: pathOf('a directory') };

/**
 * Sessions in SQLite (WAL, `synchronous=FULL`), shared by any number of sessions and processes: in one file, or each in its own file, which
 * a hanging process cannot block for the others. A file is opened on first use, once for all stores of its path in this process; without
 * write permission it can still be read. Writes to one file that wait together share one commit. The caller disposes of the store, after
 * closing the sessions that use it. @throws ValidationError; AgentError `UNSUPPORTED_NODE`
 */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  requireNode();
  checkOptions('The options', options, options?.directory === undefined ? FILE : DIRECTORY);
  const { path, directory } = options;
  if (directory === undefined) return fileStore(resolve(path)).store;
  if (path !== undefined)
    throw new ValidationError('path and directory exclude each other; give one of them', 'directory');
  return directoryStore(resolve(directory));
}
