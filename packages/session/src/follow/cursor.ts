import { SessionError } from '@x/core';
import type { SessionStore } from '../log/session-store.ts';

const CURSOR = /^(\d{1,15})\.([0-9a-f]{8})$/;

/** Makes and reads the cursors of one log: the number of an entry, and a hash that tells this log from all others. */
export interface Cursors {
  at(seq: number): string;
  /** The number of the last entry that was told. @throws SessionError `INVALID_CURSOR` */
  read(cursor: string): number;
}

/** @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED` */
export async function cursorsOf(store: SessionStore, sessionId: string): Promise<Cursors> {
  const { hash } = process.getBuiltinModule('node:crypto'); // few programs follow a session
  let log = '';
  // Another log that later has the same id begins at another time.
  for await (const { at } of store.read(sessionId, { upTo: 1 })) log = hash('sha256', `${sessionId} ${at}`).slice(0, 8);
  return {
    at: (seq) => `${seq}.${log}`,
    read(cursor) {
      const [, seq = '', of] = CURSOR.exec(cursor) ?? [];
      if (of === log) return Number(seq);
      const why = of === undefined ? 'is not a cursor' : 'is a cursor of another log';
      throw invalidCursor(sessionId, `${JSON.stringify(cursor)} ${why}`);
    },
  };
}

/** Checks a cursor before anything is told. @throws SessionError `SESSION_NOT_FOUND`, `INVALID_CURSOR` */
export async function assertCursor(store: SessionStore, sessionId: string, from: string): Promise<void> {
  const seq = (await cursorsOf(store, sessionId)).read(from);
  if (seq === 0) return;
  const found = await Array.fromAsync(store.read(sessionId, { after: seq - 1, upTo: seq }));
  if (found.length === 0) throw invalidCursor(sessionId, `the log has no entry ${seq}`);
}

export function invalidCursor(sessionId: string, why: string): SessionError {
  return new SessionError(`Session ${sessionId} cannot be followed from there: ${why}; follow it without \`from\``, {
    code: 'INVALID_CURSOR',
  });
}
