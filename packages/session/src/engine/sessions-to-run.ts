import type { EntryBody } from '../log/entry.ts';
import { isProgress, isUnseenAfter } from '../log/fold.ts';
import { goesOnWith } from '../log/goes-on-with.ts';
import { readBody } from '../log/large-body.ts';
import type { SessionStore, SessionSummary } from '../log/session-store.ts';

/** Sessions per page, the most that a store lists at a time. */
const PAGE = 1000;
/** Sessions whose logs are read at the same time. */
const AT_A_TIME = 100;
/** Entries at the end of a log that are read first; more when they do not suffice. */
const TAIL = 4;

const UNREADABLE: readonly unknown[] = ['LOG_DAMAGED', 'LOG_TOO_NEW', 'STORE_FAILED'];

/** A session with something to do. */
export interface SessionToRun {
  readonly sessionId: string;
  /** Owners of its open run that have ended since the last reply or result; a present one counts, since it may have ended. */
  readonly crashes: number;
}

/**
 * Sessions with waiting messages, messages that no model has seen, or a run that has not ended: reads the list, and of those that it does not
 * say all about only the inbox and the end of each log.
 */
export async function* sessionsToRun(store: SessionStore): AsyncGenerator<SessionToRun, void, void> {
  const waiting = await store.waiting?.();
  const withMessages = waiting && new Set(waiting.map(({ sessionId }) => sessionId));
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const doubtful = page.sessions.filter((session) => !withMessages || !isAtRest(session, withMessages));
    for (let from = 0; from < doubtful.length; from += AT_A_TIME) {
      const some = doubtful.slice(from, from + AT_A_TIME);
      const found = await Promise.all(some.map((session) => workOf(store, session)));
      for (const work of found) if (work) yield work;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** True where the list shows that there is nothing to do: after a reply or an error no message is left unseen. A fork may end behind one. */
function isAtRest(
  { sessionId, state, lastResult, forkedFrom }: SessionSummary,
  withMessages: ReadonlySet<string>,
): boolean {
  const hasSeenAll = lastResult?.subtype === 'success' || lastResult?.subtype === 'error';
  return state === 'idle' && hasSeenAll && forkedFrom === undefined && !withMessages.has(sessionId);
}

/** The work of one session; undefined when it has none. @throws errors of the store */
export async function workOf(store: SessionStore, session: SessionSummary): Promise<SessionToRun | undefined> {
  const { sessionId } = session;
  try {
    const { isOpen, crashes, isUnseen, waits } = await endOf(store, session);
    // Nothing to do before an answer, or before the first question expires.
    if (waits && (waits.until ?? Infinity) > Date.now() && !goesOnWith(await store.inbox(sessionId))) return undefined;
    const hasWork = isOpen || isUnseen || (await store.inbox(sessionId)).length > 0;
    return hasWork ? { sessionId, crashes: crashes ?? 0 } : undefined;
  } catch (error) {
    const { code, retryable } = error as { readonly code?: unknown; readonly retryable?: unknown };
    if (code === 'SESSION_NOT_FOUND') return undefined; // removed meanwhile
    // Running it reports the error, and the others are served; also when a file of its own cannot be opened.
    if (UNREADABLE.includes(code) && retryable !== true) return { sessionId, crashes: 0 };
    throw error;
  }
}

/**
 * True when an ask comes late: there is nothing to do, or nothing before an answer. To resume the session would run its start hooks, and
 * hold it for a moment against others.
 */
export async function isLate(store: SessionStore, sessionId: string): Promise<boolean> {
  if ((await store.inbox(sessionId)).length > 0) return false; // nearly always
  const [found] = (await store.list({ sessionId, limit: 1 })).sessions;
  return found?.sessionId === sessionId && (await workOf(store, found)) === undefined;
}

/** Facts from the last entries; undefined where they do not suffice. */
interface End {
  isOpen?: boolean;
  crashes?: number;
  isUnseen?: boolean;
  /** Of a run that waits for answers. */
  waits?: { readonly until?: number } | undefined;
}

/** Reads past the listed head: more entries may have come since. */
async function endOf(store: SessionStore, { sessionId, head }: SessionSummary): Promise<End> {
  for (let size = TAIL; ; size *= 8) {
    const after = Math.max(0, head - size);
    const end: End = {};
    for await (const { body } of store.read(sessionId, { after })) {
      const isLarge = body?.type === 'blob' && body.of === 'record'; // a damaged log may hold anything, null too
      look(end, isLarge ? await readBody(store, sessionId, body).catch(() => body) : body);
    }
    const isKnown = end.isOpen ? end.crashes !== undefined : end.isOpen === false && end.isUnseen !== undefined;
    if (isKnown || after === 0) return end;
  }
}

function look(end: End, body: EntryBody): void {
  const type = body?.type === 'blob' ? body.of : body?.type;
  if (type === 'run_started') Object.assign(end, { isOpen: true, crashes: 1 });
  else if (type === 'run_resumed' && end.crashes !== undefined) end.crashes += 1;
  else if (type === 'run_left' && end.crashes !== undefined) end.crashes -= 1;
  else if (type === 'record') end.isOpen = true;
  if (body?.type === 'run_left') Object.assign(end, { isOpen: true, waits: body.waits });
  else if (type === 'run_resumed') end.waits = undefined;
  if (body?.type === 'run_ended') {
    Object.assign(end, { isOpen: false, crashes: 0, waits: undefined });
    if (body.subtype === 'error') end.isUnseen = false;
  } else if (body?.type === 'record') {
    if (isProgress(body.record)) end.crashes = 1;
    const isUnseen = body.scope.length === 0 ? isUnseenAfter(body.record, end.isUnseen) : undefined;
    if (isUnseen !== undefined) end.isUnseen = isUnseen;
  }
}
