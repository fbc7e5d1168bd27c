import { resolve } from 'node:path';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { SessionPage, SessionQuery } from '../log/session-store.ts';
import { STORE, type StoreOptions, usingStore } from '../store/using-store.ts';

/** Selects the store and the sessions to list. */
export interface ListOptions extends StoreOptions, Omit<SessionQuery, 'expiredAt'> {}

const STATE = is.oneOf('idle', 'running', 'waiting', 'interrupted');
const LIST: OptionRules<ListOptions> = {
  store: STORE,
  sessionId: is.text,
  cwd: is.filePath,
  state: is.either(STATE, is.listOf(STATE, 'a list of states')),
  metadata: is.recordOf(is.text, 'an object of texts'),
  cursor: is.text, // the store reads it
  limit: is.anything, // the store has a limit of its own
};

/**
 * Lists sessions, newest first, each with its state and the end of its last run; `cursor`, if present, asks for the next page. At most
 * `limit` (1 to 1000, default 50) of them: of one working directory (`cwd`), in one `state`, with certain `metadata`. @throws ValidationError, and errors of the store
 */
export async function listSessions(options: ListOptions = {}): Promise<SessionPage> {
  checkOptions('The options', options, LIST);
  const { store: _, cwd, ...rest } = options;
  const query = cwd === undefined ? rest : { ...rest, cwd: resolve(cwd) };
  return await usingStore(options, (store) => store.list(query));
}
