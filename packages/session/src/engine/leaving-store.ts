import { SessionError } from '@x/core';
import type { SessionStore } from '../log/session-store.ts';

/**
 * The same store, in which nothing is recorded once the signal is aborted. A run that is stopped then leaves what a crash at this
 * moment would leave, so that another process goes on with it; stopped in any other way it would be recorded as aborted, and over.
 */
export function leavingStore(store: SessionStore, signal: AbortSignal): SessionStore {
  const append: SessionStore['append'] = async (sessionId, ...rest) => {
    if (!signal.aborted) return await store.append(sessionId, ...rest);
    throw new SessionError(`Session ${sessionId} is left to another process`, { code: 'SESSION_FENCED' });
  };
  return new Proxy(store, {
    get(target, key) {
      if (key === 'append') return append;
      const value: unknown = Reflect.get(target, key);
      // A store may be an instance of a class with private fields.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
