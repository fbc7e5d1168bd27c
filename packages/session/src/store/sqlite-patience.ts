import type { DatabaseSync } from 'node:sqlite';

/** Milliseconds. */
export const PATIENCE_MS = 5000;
/** From then on SQLite waits by itself while another connection has the lock, and blocks the event loop meanwhile. */
export const PATIENT: string = `pragma busy_timeout = ${PATIENCE_MS}`;
/** From then on what finds a lock fails at once. */
export const IMPATIENT = 'pragma busy_timeout = 0';
const SQLITE_BUSY = 5;

/**
 * What `act` returns, for what cannot be tried again later. A connection is impatient, since to change that takes two statements; only
 * when `act` finds a lock, it is done once more with patience. `act` must leave nothing behind when it fails.
 */
export function patiently<T>(database: DatabaseSync, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  database.exec(PATIENT);
  try {
    return act();
  } finally {
    database.exec(IMPATIENT);
  }
}

/** Whether another connection had the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY;
}

/** The lowest byte of what SQLite says (sqlite.org/rescode.html). */
export function kindOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}
