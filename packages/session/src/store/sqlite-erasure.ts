import { statSync } from 'node:fs';
import { sleep } from '@x/core';
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
/** Cleans up after a process that was killed while erasing. */
export const ERASE_REST: readonly string[] = [
  'pragma secure_delete = on',
  'delete from entries where key >> 32 not in (select number from sessions)',
  'delete from blobs where sha256 not in (select sha256 from blob_uses)',
];
/** The log is emptied at the end, which flushes all of it. */
const MAY_BE_LOST = { mayBeLost: true };

/** The rows that a removed session has left in the file. */
export interface Left {
  readonly number: number;
  /** Hashes of its blobs; other sessions may use them too. */
  readonly blobs: readonly string[];
}

/**
 * Overwrites the rows with zeros in pieces, so that others can write in between. Copies that SQLite has moved from page to page before lie
 * in unused parts of pages, and go when a small file is rewritten as a whole.
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

/** Bytes; a file up to this size is rewritten within about 200 ms, in which other writers wait. */
const SMALL = 32 * 1024 * 1024;
/** Seconds that a lock is waited for: as long as a lease lasts. */
const TRIES = 30;
interface Writing {
  /** Under way, or done. */
  last: Promise<unknown>;
  /** Not yet begun, so that it covers everything removed by now. */
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

/** Retries while others have the lock: each try waits for it for a second. */
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

/** Milliseconds between two tries, and in all. */
const PAUSE_MS = 10;
const PATIENCE_MS = 1_000;

/** Files whose log is being emptied already. */
const trying = new WeakSet<object>();

/**
 * Empties the write-ahead log, which holds texts as they were before. While another connection reads it cannot be emptied: after a second
 * this resolves anyway, and retries each second until the store is closed. Calls in the meantime return immediately.
 */
export async function emptyLog(open: Pick<OpenSqlite, 'emptyLog'>): Promise<void> {
  if (trying.has(open)) return;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    if (open.emptyLog()) return;
    await sleep(PAUSE_MS);
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
