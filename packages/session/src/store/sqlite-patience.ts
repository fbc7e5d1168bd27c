import type { DatabaseSync } from 'node:sqlite';

/** Milliseconds. */
export const PATIENCE_MS = 5000;
/** Makes SQLite wait while another connection has the lock, which blocks the event loop. */
export const PATIENT: string = `pragma busy_timeout = ${PATIENCE_MS}`;
/** Makes every statement fail immediately when it finds a lock. */
export const IMPATIENT = 'pragma busy_timeout = 0';
const SQLITE_BUSY = 5;

/**
 * Calls `act`, for statements that cannot be retried later. A connection is impatient, since changing that takes two statements; only when
 * `act` finds a lock it is called again with patience. `act` must leave nothing behind when it fails.
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

/** True when another connection had the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY;
}

/** The lowest byte of SQLite's error code (sqlite.org/rescode.html). */
export function kindOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}
