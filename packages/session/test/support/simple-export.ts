import { type EntryBody, type ImportOptions, importSession, memoryStore } from '../../src/index.ts';
import { linesOf, stored } from './exports.ts';
import { record } from './random-log.ts';
import { created, item } from './store-values.ts';

export const title: EntryBody = { type: 'title', title: 'T' };
/** The entry of a message. */
export const said = (message: object) => record({ type: 'message', message } as never);
export const user = item('Hello.').message;

/** A session with two messages of the log and one that waits, and its export. */
export async function simple() {
  const { store } = await stored([created(), said(user), title], { inbox: [item('waits')] });
  return { store, lines: await linesOf(store, 's1') };
}

/** Imports these lines into a store of their own. */
export const taken = (lines: Iterable<string>, options: ImportOptions = {}) =>
  importSession(lines, { store: memoryStore(), ...options });
