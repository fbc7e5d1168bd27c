import { SessionError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkValue, type OptionRule } from '@x/errors/option-rules';
import { weighedJson } from '../log/large-body.ts';
import type { ExpectedHead } from '../log/session-store.ts';

/** 1 MiB of JSON. */
const MAX_ENTRY_BYTES = 1024 * 1024;

export const SESSION_ID: OptionRule = is.rule(
  'the id of a session: letters, digits, _ and -, 128 at most',
  isSessionId,
);

export function isSessionId(sessionId: unknown): boolean {
  return typeof sessionId === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(sessionId);
}

/** Checks an id, so that it never becomes a path or a query unchecked. @throws ValidationError */
export function checkSessionId(sessionId: string): void {
  checkValue('sessionId', sessionId, is.required(SESSION_ID));
}

export function notFound(sessionId: string): SessionError {
  return new SessionError(`There is no session ${sessionId} in this store`, { code: 'SESSION_NOT_FOUND' });
}

export function alreadyExists(sessionId: string): SessionError {
  return new SessionError(`Session ${sessionId} exists already; resume it, or choose another id`, {
    code: 'SESSION_EXISTS',
  });
}

export function storeClosed(store: string): SessionError {
  return new SessionError(`The store ${store} is closed; make another one`, { code: 'SESSION_CLOSED' });
}

/** @throws SessionError `INVALID_FORK_POINT` when the session has no such entry */
export function checkForkPoint(sessionId: string, upTo: number, head: number): void {
  if (Number.isInteger(upTo) && upTo >= 1 && upTo <= head) return;
  throw new SessionError(`Session ${sessionId} has entries 1 to ${head}; it cannot be forked at ${upTo}`, {
    code: 'INVALID_FORK_POINT',
  });
}

/** Why an append with these expectations was refused. */
export function fencedAppend(sessionId: string, expected: ExpectedHead, found: ExpectedHead): SessionError {
  if (found.epoch !== expected.epoch) {
    return new SessionError(`Session ${sessionId} was taken over by another owner; resume it to go on`, {
      code: 'SESSION_FENCED',
      details: { expected, found },
    });
  }
  return new SessionError(`Session ${sessionId} has ${found.head} entries, not ${expected.head}; read it again`, {
    code: 'SESSION_CONFLICT',
    details: { expected, found },
  });
}

/** The JSON of an entry; `known` is that which was made already. @throws SessionError `ENTRY_TOO_LARGE` */
export function entryJson(sessionId: string, body: object, known: string | undefined = weighedJson(body)): string {
  const json = known ?? JSON.stringify(body);
  // A UTF-16 unit is at most three bytes of UTF-8: only long texts need to be measured.
  if (json.length * 3 > MAX_ENTRY_BYTES && Buffer.byteLength(json) > MAX_ENTRY_BYTES) {
    throw new SessionError(
      `Session ${sessionId}: an entry of ${json.length} characters is over 1 MiB; send it in parts, or put it in a file and send its path`,
      { code: 'ENTRY_TOO_LARGE' },
    );
  }
  return json;
}

export function hasWaiting(sessionId: string): SessionError {
  return new SessionError(`Messages wait in session ${sessionId}; run it, or remove it with them`, {
    code: 'SESSION_BUSY',
  });
}

/** The error for a part of a session that cannot be read. */
export function damaged(what: string, sessionId: string, cause: unknown): SessionError {
  return new SessionError(`${what} of session ${sessionId} is damaged; restore it from a copy`, {
    code: 'LOG_DAMAGED',
    cause,
  });
}
