import { SessionError, ValidationError } from '@x/core';

/** @throws ValidationError */
export function assertSessionId(sessionId: unknown): asserts sessionId is string {
  if (typeof sessionId !== 'string') throw new ValidationError('submit takes the id of a session', 'sessionId');
}

/** @throws ValidationError */
export function assertWork(work: unknown): void {
  if (typeof work !== 'function') throw new ValidationError('serve takes a function (sessionId, signal)', 'work');
}

/** The error of an engine that was disposed of. */
export function engineClosed(): SessionError {
  return new SessionError('The engine is closed; make another one', { code: 'SESSION_CLOSED' });
}
