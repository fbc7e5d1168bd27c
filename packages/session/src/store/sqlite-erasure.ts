import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { storeError } from './group-commit.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { type Access, KEYS_OF_NUMBER, LAST_KEY } from './sqlite-fragments.ts';
import { isBusy } from './sqlite-patience.ts';
import { onThread } from './sqlite-thread.ts';

/** Entries that are overwritten in one transaction. */
const PIECE = 200;
const ERASE_ENTRIES = `delete from entries where key in (
  select key from entries where key between ${KEYS_OF_NUMBER} and ${KEYS_OF_NUMBER} + ${LAST_KEY} limit ${PIECE})`;
const ERASE_BLOB = 'delete from blobs where sha256 = ? and not exists (select 1 from blob_uses where sha256 = ?)';
/** What a process that was killed in the midst of erasing has left. */
export const ERASE_REST: readonly string[] = [
  'pragma secure_delete = on',
  'delete from entries where key >> 32 not in (select number from sessions)',
  'delete from blobs where sha256 not in (select sha256 from blob_uses)',
];
/** The log is emptied at the end, which flushes all of it. */
const MAY_BE_LOST = { mayBeLost: true };

/** What a session that is gone has left in the file. */
export interface Left {
  readonly number: number;
  /** Hashes of those that it used; other sessions may use them too. */
  readonly blobs: readonly string[];
}

/**
 * Overwrites it in pieces, so that others can write in between: for each byte that is removed, one of zeros is written. What SQLite has
 * moved from page to page before that lies in unused parts of pages, and goes when a small file is written again as a whole.
 */
export async function erase({ write, path }: Access, { number, blobs }: Left): Promise<void> {
  let file: OpenSqlite;
  let erased: number;
  do {
    [file, erased] = await write((open) => [open, open.run(ERASE_ENTRIES, number, number)] as const, MAY_BE_LOST);
  } while (erased === PIECE);
  for (const sha256 of blobs) await write(({ run }) => run(ERASE_BLOB, sha256, sha256), MAY_BE_LOST);
  if (statSync(path).size <= SMALL) await writeAgain(file, path);
  await emptyLog(file);
}

/** Bytes; written again within about 200 ms, in which others wait with their writes. */
const SMALL = 32 * 1024 * 1024;
/** Seconds that a lock is waited for: as long as a lease lasts. */
const TRIES = 30;
interface Writing {
  /** Under way, or done. */
  last: Promise<unknown>;
  /** Not yet begun, so that it serves whoever has removed something by now. */
  next?: Promise<void> | undefined;
}
const writings = new WeakMap<object, Writing>();

/** @throws AgentError `STORE_FAILED` */
async function writeAgain(file: OpenSqlite, path: string): Promise<void> {
  const writing: Writing = writings.get(file) ?? { last: Promise.resolve() };
  writings.set(file, writing);
  writing.next ??= writing.last.then(async () => {
    writing.next = undefined;
    const done = vacuum(path);
    writing.last = done.catch(() => undefined);
    await done;
  });
  try {
    await writing.next;
  } catch (error) {
    const attempt = `overwrite all that a removed session has left in ${path}, which compactStore does`;
    throw storeError(error, attempt, { isRead: true });
  }
}

/** Tries again while others have the lock: each time waits for it for a second. */
async function vacuum(path: string): Promise<void> {
  for (let triesLeft = TRIES; ; triesLeft--) {
    try {
      await onThread([{ path, statements: ['pragma busy_timeout = 1000', 'vacuum'] }]).done;
      return;
    } catch (error) {
      if (triesLeft === 1 || !isBusy(error)) throw error;
    }
  }
}

/** Milliseconds between two tries, and how long they are waited for. */
const PAUSE_MS = 10;
const PATIENCE_MS = 1_000;

/** Files whose log is tried for already. */
const trying = new WeakSet<object>();

/**
 * Empties the write-ahead log, which holds texts as they were before. While another connection reads it cannot be emptied: after a
 * second this resolves all the same, and tries again each second until the store is closed. Whoever asks meanwhile waits no more.
 */
export async function emptyLog(open: Pick<OpenSqlite, 'emptyLog'>): Promise<void> {
  if (trying.has(open)) return;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    if (open.emptyLog()) return;
    await pause(PAUSE_MS);
  }
  if (trying.has(open)) return;
  trying.add(open);
  const again = setInterval(() => {
    if (!open.emptyLog()) return;
    trying.delete(open);
    clearInterval(again);
  }, PATIENCE_MS);
  again.unref();
}
