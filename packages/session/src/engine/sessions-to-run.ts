import type { EntryBody } from '../log/entry.ts';
import type { SessionStore, SessionSummary } from '../log/session-store.ts';

/** Sessions looked at together. */
const PAGE = 100;
/** Entries at the end of a log that are looked at first; more when they do not say whether a run is open. */
const TAIL = 4;

/** The ids of the sessions with messages that wait or a run that has not ended: of each only the inbox and the end of its log is read. */
export async function* sessionsToRun(store: SessionStore): AsyncGenerator<string, void, void> {
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const found = await Promise.all(page.sessions.map((session) => hasWork(store, session)));
    for (const [index, { sessionId }] of page.sessions.entries()) if (found[index]) yield sessionId;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function hasWork(store: SessionStore, session: SessionSummary): Promise<boolean> {
  try {
    return (await store.inbox(session.sessionId)).length > 0 || (await hasOpenRun(store, session));
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'SESSION_NOT_FOUND') return false; // removed meanwhile
    if (code === 'SESSION_CONFLICT') return true; // damaged: who runs it is told so, and the others are served
    throw error;
  }
}

/** Whether the last entry that belongs to a run is not its end. Reads behind the head: more entries may have come since the list. */
async function hasOpenRun(store: SessionStore, { sessionId, head }: SessionSummary): Promise<boolean> {
  for (let size = TAIL; ; size *= 8) {
    const after = Math.max(0, head - size);
    let open: boolean | undefined;
    for await (const { body } of store.read(sessionId, { after })) open = saysOpen(body) ?? open;
    if (open !== undefined || after === 0) return open ?? false;
  }
}

/** Undefined for an entry of the session itself. */
function saysOpen(body: EntryBody): boolean | undefined {
  const type = body?.type === 'blob' ? body.of : body?.type; // a damaged log may hold anything, null too
  if (type === 'run_ended') return false;
  return type === 'record' || type === 'run_started' ? true : undefined;
}
