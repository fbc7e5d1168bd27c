import { setTimeout as pause } from 'node:timers/promises';
import type { OpenSqlite } from './sqlite-file.ts';

/** Milliseconds between two tries, and how long they are waited for. */
const PAUSE_MS = 10;
const PATIENCE_MS = 1_000;

/**
 * Empties the write-ahead log, which holds texts as they were before. While another connection reads it cannot be emptied: after a
 * second this resolves all the same, and tries again each second until the store is closed.
 */
export async function emptyLog(open: Pick<OpenSqlite, 'emptyLog'>): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    if (open.emptyLog()) return;
    await pause(PAUSE_MS);
  }
  const again = setInterval(() => {
    if (open.emptyLog()) clearInterval(again);
  }, PATIENCE_MS);
  again.unref();
}
