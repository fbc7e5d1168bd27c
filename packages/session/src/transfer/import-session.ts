import { AgentError, isAgentError } from '@x/core';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { SESSION_ID } from '../store/refusals.ts';
import { STORE, type StoreOptions, usingStore } from '../store/using-store.ts';
import { type ReadExport, readExport } from './read-export.ts';

/** Options of `importSession`. */
export interface ImportOptions extends StoreOptions {
  /** The id of the new session. Default: the one that the export names. */
  readonly sessionId?: string;
}

const OPTIONS: OptionRules<ImportOptions> = { store: STORE, sessionId: SESSION_ID };

/**
 * Imports a session from the lines of `exportSession`, one per text, with or without line ends; returns its id. Nothing is stored before
 * the last line was read and checked, then everything is; a process that is killed at that moment leaves nothing, or an empty session.
 * Entries get the time of the import; messages keep theirs. Calls that were allowed and have no answer yet are judged again: permissions in
 * an import are ignored. The caller closes the lines.
 * @throws ValidationError naming the invalid line, SessionError `SESSION_EXISTS`, and `LOG_TOO_NEW` for an export of a newer version
 */
export async function importSession(
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<string> {
  checkOptions('The options', options, OPTIONS);
  const read = await readExport(lines, options.sessionId);
  await usingStore(options, (store) => keep(store, read));
  return read.sessionId;
}

async function keep(store: SessionStore, { sessionId, bodies, blobs, inbox }: ReadExport): Promise<void> {
  const [first, ...others] = bodies;
  await store.create(sessionId, first!); // an export without entries was refused
  try {
    // Begun together: a store that commits waiting writes in one step has all or nothing, whatever happens meanwhile.
    const kept = await Promise.allSettled([
      ...Array.from(blobs, ([sha256, bytes]) => store.putBlob(sessionId, sha256, bytes)),
      ...inbox.map((item) => store.enqueue(sessionId, item)),
      ...(others.length > 0 ? [store.append(sessionId, { epoch: 0, head: 1 }, others)] : []),
    ]);
    const failed = kept.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    if (inbox.length > 1) checkOrder(inbox, await store.inbox(sessionId));
  } catch (error) {
    if (!isTaken(error)) await store.remove(sessionId).catch(() => undefined); // what made it fail is what matters
    throw error;
  }
}

/** Stores promise no order for writes that are begun together. */
function checkOrder(wanted: readonly InboxItem[], found: readonly InboxItem[]): void {
  if (wanted.every(({ message }, index) => message.id === found[index]?.message.id)) return;
  throw new AgentError('The store has put the waiting messages into another order; nothing was imported, try again', {
    code: 'STORE_FAILED',
    statusCode: 503,
    retryable: true,
  });
}

/** True when somebody found the session before it was complete, and owns it now. */
function isTaken(reason: unknown): boolean {
  return isAgentError(reason) && reason.code === 'SESSION_FENCED';
}
