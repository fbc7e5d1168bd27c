import type { SessionStore, SessionSummary } from '@x/session';
import { clientMetadata, PROFILE } from './owned-session.ts';

/** A session as clients see it. */
export interface SessionRow {
  readonly sessionId: string;
  readonly profile: string;
  readonly state: string;
  readonly title?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly forkedFrom?: string;
  /** Messages and answers that no run has taken yet. */
  readonly queued: number;
  readonly lastResult?: SessionSummary['lastResult'];
}

/** @throws SessionError `SESSION_NOT_FOUND` for one that was removed meanwhile */
export async function sessionRow(store: SessionStore, session: SessionSummary): Promise<SessionRow> {
  const { sessionId, title, state = 'idle', updatedAt, forkedFrom, lastResult, metadata = {} } = session;
  const [first] = await Array.fromAsync(store.read(sessionId, { upTo: 1 }));
  return {
    sessionId,
    profile: metadata[PROFILE] ?? '',
    state,
    ...(title === undefined ? {} : { title }),
    metadata: clientMetadata(session),
    createdAt: first?.at ?? updatedAt,
    updatedAt,
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    queued: (await store.inbox(sessionId)).length,
    ...(lastResult ? { lastResult } : {}),
  };
}
