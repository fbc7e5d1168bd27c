import { resolve } from 'node:path';
import { ValidationError } from '@x/core';
import type { SessionPage, SessionQuery } from '../log/session-store.ts';
import { checkStoreOptions, type StoreOptions, usingStore } from '../store/using-store.ts';

/** Which sessions to list, and of which store. */
export interface ListOptions extends StoreOptions, SessionQuery {}

/**
 * A page of sessions, newest first; its `cursor`, when there is one, asks for the next. At most `limit` (1 to 1000, default 50) of them,
 * those of one working directory where `cwd` names it. @throws ValidationError, and what the store throws
 */
export async function listSessions(options: ListOptions = {}): Promise<SessionPage> {
  checkStoreOptions(options, ['store', 'cwd', 'cursor', 'limit']);
  const { store: _, cwd, ...rest } = options;
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === ''))
    throw new ValidationError('cwd must be a path', 'cwd');
  if (rest.cursor !== undefined && typeof rest.cursor !== 'string')
    throw new ValidationError('cursor must be that of a page', 'cursor');
  const query = cwd === undefined ? rest : { ...rest, cwd: resolve(cwd) };
  return await usingStore(options, (store) => store.list(query));
}
