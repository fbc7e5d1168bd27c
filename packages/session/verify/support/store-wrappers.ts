import { AgentError, isAgentError } from '@x/core';
import type { EntryBody, SessionStore } from '../../src/index.ts';
import type { ExpectedHead } from '../../src/store-port.ts';

/** The store with leases of another length, so that a dead owner need not be waited for. The epoch guards, not the clock. */
export function withLease(store: SessionStore, ttlMs: number): SessionStore {
  return {
    ...store,
    acquire: (sessionId, owner) => store.acquire(sessionId, owner, ttlMs),
    renew: (lease) => store.renew(lease, ttlMs),
  };
}

/** The store, which says of no error that the same may be asked again: nothing waits for it. */
export function withoutPatience(store: SessionStore): SessionStore {
  const hasty = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      if (!isAgentError(error) || error.retryable !== true) throw error;
      const { message, code, statusCode } = error;
      throw new AgentError(message, { code, statusCode, cause: error });
    }
  };
  return {
    ...store,
    create: (...asked) => hasty(store.create(...asked)),
    acquire: (...asked) => hasty(store.acquire(...asked)),
    release: (...asked) => hasty(store.release(...asked)),
    append: (...asked) => hasty(store.append(...asked)),
    enqueue: (...asked) => hasty(store.enqueue(...asked)),
    putBlob: (...asked) => hasty(store.putBlob(...asked)),
  };
}

/** Control: what should be `tool_started` is a title in the log, so that nobody knows afterwards which tools had begun. */
export function withoutWriteAhead(store: SessionStore): SessionStore {
  const blinded = (body: EntryBody): EntryBody =>
    body.type === 'record' && body.record.type === 'tool_started' ? { type: 'title', title: 'not told' } : body;
  return {
    ...store,
    append: (sessionId, expected, entries, consume) => store.append(sessionId, expected, entries.map(blinded), consume),
  };
}

/** Control: the answer of a call whose effect is not known reads like that of any other. */
export function repairingSilently(store: SessionStore): SessionStore {
  const silenced = (body: EntryBody): EntryBody => {
    if (body.type !== 'record' || body.record.type !== 'tool_finished') return body;
    const { interrupted: _, ...result } = body.record.result;
    return { ...body, record: { ...body.record, result } };
  };
  return {
    ...store,
    append: (sessionId, expected, entries, consume) =>
      store.append(sessionId, expected, entries.map(silenced), consume),
  };
}

/** Control: an append is acknowledged at once and written with the next operation. */
export function acknowledgingEarly(store: SessionStore): SessionStore {
  let late: (() => Promise<unknown>) | undefined;
  const settled = async () => {
    const work = late;
    late = undefined;
    await work?.();
  };
  const behind =
    <A extends unknown[], R>(operation: (...values: A) => Promise<R>) =>
    async (...values: A): Promise<R> => {
      await settled();
      return await operation(...values);
    };
  return {
    ...store,
    acquire: behind(store.acquire),
    renew: behind(store.renew),
    release: behind(store.release),
    enqueue: behind(store.enqueue),
    inbox: behind(store.inbox),
    async append(sessionId, expected, entries, consume) {
      await settled();
      late = () => store.append(sessionId, expected, entries, consume);
      return expected.head + entries.length;
    },
  };
}

/** Control: the head and the epoch are not compared; whoever appends is let in. */
export function withoutCompare(store: SessionStore): SessionStore {
  return appendingAt(store, (found) => found);
}

/** Control: the head is not compared; the owner may append the same twice. */
export function withoutHead(store: SessionStore): SessionStore {
  return appendingAt(store, (found, expected) => (found.epoch === expected.epoch ? found : undefined));
}

/** Tries a refused append again at the head that it chooses of the one that was found. */
function appendingAt(
  store: SessionStore,
  choose: (found: ExpectedHead, expected: ExpectedHead) => ExpectedHead | undefined,
): SessionStore {
  return {
    ...store,
    async append(sessionId, expected, entries, consume) {
      let tried = expected;
      for (;;) {
        try {
          return await store.append(sessionId, tried, entries, consume);
        } catch (error) {
          const { found } = (error as { details?: { found?: ExpectedHead } }).details ?? {};
          const next = found && choose(found, expected);
          if (!next) throw error;
          tried = next;
        }
      }
    },
  };
}

/** Control: what was decided about a call is not told to the log. */
export function withoutPermissionNotes(store: SessionStore): SessionStore {
  const blinded = (body: EntryBody): EntryBody =>
    body.type === 'record' && body.record.type === 'note' && body.record.name.startsWith('permission:')
      ? { type: 'title', title: 'not told' }
      : body;
  return {
    ...store,
    append: (sessionId, expected, entries, consume) => store.append(sessionId, expected, entries.map(blinded), consume),
  };
}

/** Control: who reads the log does not see what subagents have said and done. */
export function withoutSubagents(store: SessionStore): SessionStore {
  return {
    ...store,
    async *read(sessionId, range) {
      for await (const entry of store.read(sessionId, range)) {
        const { body } = entry;
        yield body.type === 'record' && body.scope.length > 0
          ? { ...entry, body: { type: 'title', title: '' } }
          : entry;
      }
    },
  };
}
