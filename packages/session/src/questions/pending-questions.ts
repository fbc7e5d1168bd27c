import type { Question } from '@x/core';
import { isAgentError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { STORE } from '../store/using-store.ts';
import { answerId, openQuestions } from './open-questions.ts';

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
  const found: PendingQuestion[] = [];
  for (const state of ['waiting', 'running', 'interrupted'] as const) {
    let cursor: string | undefined;
    do {
      const page = await store.list({ state, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      for (const { sessionId } of page.sessions) found.push(...(await questionsOf(store, sessionId)));
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return found.toSorted((one, other) => one.askedAt - other.askedAt);
}

async function questionsOf(store: SessionStore, sessionId: string): Promise<PendingQuestion[]> {
  try {
    const questions = openQuestions(await readState(store, sessionId));
    if (questions.length === 0) return [];
    const answered = new Set((await store.inbox(sessionId)).map(({ message }) => message.id));
    const now = Date.now();
    return questions
      .filter((one) => !answered.has(answerId(one)) && (one.expiresAt ?? Infinity) > now)
      .map((one) => ({ ...one, sessionId, ageMs: now - one.askedAt }));
  } catch (error) {
    // Removed meanwhile, or unreadable: then no answer could be recorded, and the others can be answered.
    if (isAgentError(error) && UNANSWERABLE.includes(error.code)) return [];
    throw error;
  }
}
