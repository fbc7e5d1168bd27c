import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import type { SessionPage, SessionQuery, SessionSummary } from '../log/session-store.ts';
import { isSessionId } from './refusals.ts';

const MAX_LIMIT = 1000;
/** Milliseconds since 1970, and the id of a session. */
const CURSOR = /^(\d{1,16}):(.+)$/s;

/** The start of a page: after this session, newest first, then by id. */
export interface PageStart {
  readonly updatedAt: number;
  readonly sessionId: string;
  readonly limit: number;
}

/** Checks a query and decodes its cursor. @throws ValidationError */
export function pageStart({ cursor, limit = 50 }: SessionQuery): PageStart {
  checkValue('limit', limit, is.count(1, MAX_LIMIT));
  if (cursor === undefined) return { updatedAt: Number.MAX_SAFE_INTEGER, sessionId: '', limit };
  const [, time, sessionId = ''] = CURSOR.exec(String(cursor)) ?? [];
  if (Number.isSafeInteger(Number(time)) && isSessionId(sessionId))
    return { updatedAt: Number(time), sessionId, limit };
  throw new ValidationError('cursor must be the one of the page before', 'cursor');
}

/** The first `limit` of the sessions found; with a cursor after the last one, when there are more. */
export function pageOf(found: readonly SessionSummary[], limit: number): SessionPage {
  const sessions = found.slice(0, limit);
  const last = sessions.at(-1);
  if (!last || found.length <= limit) return { sessions };
  return { sessions, cursor: `${Date.parse(last.updatedAt)}:${last.sessionId}` };
}
