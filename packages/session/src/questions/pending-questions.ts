import type { Question } from '@x/core';
import { isAgentError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { STORE } from '../store/using-store.ts';
import { openQuestions } from './open-questions.ts';
import { answerable } from './take-answers.ts';

/** States of a session whose run is open. */
const OPEN = ['waiting', 'running', 'interrupted'] as const;
const UNANSWERABLE: readonly string[] = ['SESSION_NOT_FOUND', 'LOG_DAMAGED', 'LOG_TOO_NEW'];

/** A question that waits for an answer, and its session. */
export interface PendingQuestion extends Question {
  readonly sessionId: string;
  /** Milliseconds since it was asked. */
  readonly ageMs: number;
}

/**
 * The questions of all sessions that wait for an answer, oldest first; also those of a run whose other calls still go on. Reads the
 * sessions whose run is open, and no other. @throws ValidationError, and errors of the store
 */
export async function pendingQuestions(store: SessionStore): Promise<PendingQuestion[]> {
  checkValue('store', store, is.required(STORE));
  const found = new Map<string, readonly PendingQuestion[]>();
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ state: OPEN, limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const { sessionId } of page.sessions) found.set(sessionId, await questionsOf(store, sessionId));
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return [...found.values()].flat().toSorted((one, other) => one.askedAt - other.askedAt);
}

/** The questions of one session that wait for an answer, in the order in which they were asked; none for one that is not there. */
export async function questionsOf(store: SessionStore, sessionId: string): Promise<PendingQuestion[]> {
  try {
    const questions = openQuestions(await readState(store, sessionId));
    if (questions.length === 0) return [];
    const open = answerable(questions, await store.inbox(sessionId));
    const now = Date.now();
    return open
      .filter(({ expiresAt = Infinity }) => expiresAt > now)
      .map((one) => ({ ...one, sessionId, ageMs: now - one.askedAt }));
  } catch (error) {
    // Removed meanwhile, or unreadable: then no answer could be recorded, and the others can be answered.
    if (isAgentError(error) && UNANSWERABLE.includes(error.code)) return [];
    throw error;
  }
}
