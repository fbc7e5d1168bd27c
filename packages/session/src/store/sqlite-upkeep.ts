import { existsSync, statSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SessionError, ValidationError } from '@x/core';
import { isOwned } from '../log/ownership.ts';
import type { BackupSettings, CompactedStore, SessionStore, StoreUpkeep } from '../log/session-store.ts';
import { storeError } from './group-commit.ts';
import { ERASE_REST, emptyLog } from './sqlite-erasure.ts';
import type { Access } from './sqlite-fragments.ts';
import { PATIENT } from './sqlite-patience.ts';
import { onThread } from './sqlite-thread.ts';

/** Copies and shrinks the file, in its own thread. */
export function upkeep({ path, read }: Access, leases: Pick<SessionStore, 'acquire' | 'release'>): StoreUpkeep {
  return {
    async backup(to, settings = {}) {
      read(); // makes, or brings forward, what is copied
      await copyFile(path, to, settings);
    },
    async compact(): Promise<CompactedStore> {
      for (const { id } of read().all('select id from sessions where owner is not null'))
        if (await isOwned(leases, String(id))) throw isBeingRun(String(id), path);
      read().emptyLog(); // what is only there counts too
      const bytesBefore = statSync(path).size;
      try {
        await onThread([{ path, statements: [PATIENT, ...ERASE_REST, 'vacuum'] }]).done;
      } catch (error) {
        throw storeError(error, `compact ${path}`);
      }
      await emptyLog(read());
      return { bytesBefore, bytesAfter: statSync(path).size };
    },
  };
}

/** Uses a temporary name first: a file with the final name is complete. */
async function copyFile(path: string, to: string, { overwrite = false, signal }: BackupSettings): Promise<void> {
  if (!overwrite && existsSync(to)) throw isThere(to);
  // A log that lies next to another database would be read as that database's own.
  if (existsSync(`${to}-wal`))
    throw new ValidationError(`${to} is an open store, or one that was not closed; name another file`, 'to');
  const temporary = `${to}.${crypto.randomUUID()}.tmp`;
  let ended: Promise<void> | undefined;
  try {
    await (await open(temporary, 'wx', 0o600)).close();
    const copying = onThread(
      [
        { path, statements: [PATIENT, `vacuum into '${temporary.replaceAll("'", "''")}'`] },
        { path: temporary, statements: ['update sessions set owner = null', ...ERASE_REST] }, // nobody runs a session of the copy
      ],
      signal,
    );
    ({ ended } = copying);
    await copying.done;
    await flush(temporary);
    if (overwrite) await rename(temporary, to);
    else await link(temporary, to);
    await flush(dirname(to));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw isThere(to); // safe: only its code is looked at
    throw storeError(error, `copy ${path} to ${to}`);
  } finally {
    const removed = (ended ?? Promise.resolve()).then(() => rm(temporary, { force: true })).catch(() => undefined);
    if (!signal?.aborted) await removed; // an abort does not wait
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function isThere(to: string): ValidationError {
  return new ValidationError(`${to} exists already; name another file, or say overwrite: true`, 'to');
}

function isBeingRun(sessionId: string, path: string): SessionError {
  return new SessionError(
    `${path} cannot be compacted while session ${sessionId} is being run: nobody could write meanwhile; try again when no session runs`,
    { code: 'SESSION_BUSY' },
  );
}
