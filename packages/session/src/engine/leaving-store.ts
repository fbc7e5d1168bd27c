import { SessionError } from '@x/core';
import { asOne } from '../log/appended.ts';
import type { SessionStore } from '../log/session-store.ts';

/** A run that is open, and the head of its log once all appends that were begun are done. */
interface OpenRun {
  readonly runId: string;
  readonly head: number;
}

/**
 * Wraps a store for one session: after the abort nothing more is recorded, except that the owner of an open run has left it. Another
 * process then continues the run; without that entry it would be recorded as aborted, and over.
 */
export function leavingStore(store: SessionStore, signal: AbortSignal): SessionStore {
  let open: OpenRun | undefined;
  const append: SessionStore['append'] = async (sessionId, expected, entries, consume) => {
    if (signal.aborted) {
      throw new SessionError(`Session ${sessionId} is left to another process`, { code: 'SESSION_FENCED' });
    }
    let runId = open?.runId;
    for (const entry of entries) {
      if (entry.type === 'run_started' || entry.type === 'run_resumed') runId = entry.runId;
      else if (entry.type === 'run_ended' || entry.type === 'run_left') runId = undefined;
    }
    open = runId === undefined ? undefined : { runId, head: expected.head + entries.length };
    return await store.append(sessionId, expected, entries, consume);
  };
  const release: SessionStore['release'] = async (lease) => {
    const { sessionId, epoch } = lease;
    const left =
      open && signal.aborted
        ? store.append(sessionId, { epoch, head: open.head }, [{ type: 'run_left', runId: open.runId }])
        : undefined;
    // Both in one commit. If the entry cannot be recorded, this looks like a crash to the next owner.
    await Promise.all([left?.catch(() => undefined), store.release(lease)]);
  };
  const leaving = new Proxy(store, {
    get(target, key) {
      if (key === 'append') return append;
      if (key === 'release') return release;
      const value: unknown = Reflect.get(target, key);
      // A store may be an instance of a class with private fields.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return asOne(leaving, store);
}
