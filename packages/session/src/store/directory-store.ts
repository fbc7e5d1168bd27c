import { existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentError } from '@x/core';
import { syncDirectory } from '@x/sandbox/internal';
import { EntryPages, pagesIn } from '../log/entry-pages.ts';
import type { SessionQuery, SessionStore, SessionSummary, WaitingSession } from '../log/session-store.ts';
import { directoryUpkeep } from './directory-upkeep.ts';
import { fileStore } from './file-store.ts';
import { storeError } from './group-commit.ts';
import { KnownFiles } from './known-files.ts';
import { alreadyExists, checkSessionId } from './refusals.ts';
import { isAskedFor } from './run-mark.ts';
import { SessionFiles } from './session-files.ts';
import { pageOf, pageStart } from './session-page.ts';
import { makeFile } from './sqlite-connect.ts';
import type { OpenSqlite } from './sqlite-file.ts';

/** Milliseconds after which a copy counts as left by a process that was killed during a fork. */
const LONGEST_FORK = 3_600_000;

/** Sessions in a directory, each in a SQLite file of its own. `directory` is absolute. */
export function directoryStore(directory: string): SessionStore {
  const files = new SessionFiles(directory);
  const listed = new KnownFiles<readonly SessionSummary[]>();
  return {
    ...passedOn(files),
    create: async (sessionId, first) => {
      checkSessionId(sessionId);
      const path = files.pathOf(sessionId);
      try {
        await files.withFile(
          path,
          ({ access, store }) => Promise.all([access.write(renumber), store.create(sessionId, first)]), // in one commit
        );
      } catch (error) {
        await files.removeEmpty(path).catch(() => undefined); // why it could not be made says more
        throw error;
      }
    },
    renew: (lease, ttlMs) =>
      files.withSession(lease.sessionId, ({ store }) => store.renew(lease, ttlMs)).catch(unlessMissing(false)),
    release: (lease) =>
      files.withSession(lease.sessionId, ({ store }) => store.release(lease)).catch(unlessMissing(undefined)),
    list: async (query) => await list(files, listed, query),
    waiting: waitingIn(files),
    fork: async (sessionId, upTo, newId) => {
      checkSessionId(newId);
      await fork(files, { sessionId, upTo, newId });
    },
    remove: async (sessionId, options) => {
      await files.withSession(sessionId, ({ store }) => store.remove(sessionId, options));
      await files.removeEmpty(files.pathOf(sessionId)).catch(() => undefined); // not every system lets an open one go
      removeLeftCopies(directory);
    },
    files: [directory],
    upkeep: directoryUpkeep(files),
    [Symbol.asyncDispose]: async () => files.close(),
  };
}

type PassedOn = Omit<
  SessionStore,
  | 'create'
  | 'renew'
  | 'release'
  | 'list'
  | 'waiting'
  | 'fork'
  | 'remove'
  | 'files'
  | 'upkeep'
  | typeof Symbol.asyncDispose
>;

/** The methods that the file of a session answers. */
function passedOn(files: SessionFiles): PassedOn {
  return {
    acquire: (id, ...values) => files.withSession(id, ({ store }) => store.acquire(id, ...values)),
    leaseLeftMs: (id) => files.withSession(id, ({ store }) => store.leaseLeftMs(id)),
    append: (id, ...values) => files.withSession(id, ({ store }) => store.append(id, ...values)),
    saveSnapshot: (id, ...values) => files.withSession(id, ({ store }) => store.saveSnapshot(id, ...values)),
    latestSnapshot: (id, ...values) => files.withSession(id, ({ store }) => store.latestSnapshot(id, ...values)),
    enqueue: (id, ...values) => files.withSession(id, ({ store }) => store.enqueue(id, ...values)),
    inbox: (id) => files.withSession(id, ({ store }) => store.inbox(id)),
    putBlob: (id, ...values) => files.withSession(id, ({ store }) => store.putBlob(id, ...values)),
    getBlob: (id, ...values) => files.withSession(id, ({ store }) => store.getBlob(id, ...values)),
    changes: (id) => files.now(id, ({ store }) => store.changes(id)),
    read: (id, range) =>
      new EntryPages(async function* () {
        const file = files.use(id);
        try {
          yield* pagesIn(file.store.read(id, range));
        } finally {
          files.leave(file);
        }
      }),
    now: {
      *read(id, range) {
        const file = files.use(id);
        try {
          yield* file.store.now.read(id, range);
        } finally {
          files.leave(file);
        }
      },
      latestSnapshot: (id, format) => files.now(id, ({ store }) => store.now.latestSnapshot(id, format)),
      getBlob: (id, sha256) => files.now(id, ({ store }) => store.now.getBlob(id, sha256)),
    },
  };
}

/** Opens only the files that have changed since they were last looked at. One that cannot be read holds up no other, and is tried again. */
function waitingIn(files: SessionFiles): NonNullable<SessionStore['waiting']> {
  const known = new KnownFiles<readonly WaitingSession[]>();
  return async () => {
    const found = await known.all(files, async (path) => {
      return await files.withListed(path, ({ store }) => store.waiting()).catch(unlessClosed);
    });
    return found.flat();
  };
}

function unlessClosed(error: unknown): undefined {
  if (isAgentError(error) && error.code === 'SESSION_CLOSED') throw error;
}

/** Reads every file that has changed since it was listed: a separate list of sessions could be wrong. */
async function list(files: SessionFiles, known: KnownFiles<readonly SessionSummary[]>, query: SessionQuery = {}) {
  const { updatedAt, sessionId, limit } = pageStart(query);
  const all = await known.all(files, (path) => summariesIn(files, path), isLasting);
  const found = all.flat().filter((summary) => isAskedFor(query, summary));
  const isBehind = (one: SessionSummary) => {
    const time = Date.parse(one.updatedAt);
    return time < updatedAt || (time === updatedAt && one.sessionId > sessionId);
  };
  const page = found
    .filter(isBehind)
    .toSorted(newestFirst)
    .slice(0, limit + 1);
  return pageOf(structuredClone(page), limit); // the next list has the same ones
}

/** True unless a lease decides what the session is doing, or it could not be read. */
function isLasting(summaries: readonly SessionSummary[]): boolean {
  return summaries.every(({ state }) => state === 'idle' || state === 'waiting');
}

/** A file that cannot be opened is listed by its name, so that it blocks no other session; running it reports the error. */
async function summariesIn(files: SessionFiles, path: string): Promise<readonly SessionSummary[]> {
  try {
    const page = await files.withListed(path, ({ store }) => store.list());
    return page?.sessions ?? [];
  } catch (error) {
    const isOfFile = isAgentError(error) && error.retryable !== true && error.code !== 'SESSION_CLOSED';
    const made = statSync(path, { throwIfNoEntry: false });
    const sessionId = files.idOf(path);
    if (!isOfFile) throw error;
    if (!made || sessionId === undefined) return [];
    return [{ sessionId, cwd: '', head: 0, updatedAt: made.mtime.toISOString() }];
  }
}

function newestFirst(one: SessionSummary, other: SessionSummary): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt ? 1 : -1;
  return one.sessionId < other.sessionId ? -1 : 1;
}

/** Forks in a copy of the whole file, which gets its name when complete. */
async function fork(
  files: SessionFiles,
  { sessionId, upTo, newId }: { readonly sessionId: string; readonly upTo: number; readonly newId: string },
): Promise<void> {
  const { directory } = files;
  removeLeftCopies(directory);
  const copy = join(directory, `.${crypto.randomUUID()}.copy`);
  try {
    await files.withSession(sessionId, async ({ access }) => {
      const { all } = access.read();
      makeFile(copy); // SQLite would let others read it
      all('vacuum into ?', copy);
    });
    const { access, store } = fileStore(copy);
    try {
      await access.write(renumber);
      await store.fork(sessionId, upTo, newId);
      await store.remove(sessionId);
    } finally {
      await store[Symbol.asyncDispose]();
    }
    while (!named(copy, files.pathOf(newId))) {
      if (!(await files.removeEmpty(files.pathOf(newId)))) throw alreadyExists(newId);
    }
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(copy + end, { force: true });
  }
}

/**
 * Gives a session a new number: epochs depend on it, and in a file of its own it would be the same again after a removal. Below 2^31 for a
 * thousand forks of forks: entries have it in the upper half of their key.
 */
function renumber({ all, run }: OpenSqlite): void {
  const [row] = all('select max(number) as number from sessions');
  const number = row?.['number'] ?? null;
  const { randomInt } = process.getBuiltinModule('node:crypto');
  const last = number === null ? randomInt(2 ** 30) : Number(number) + randomInt(2 ** 20);
  if (run("update sqlite_sequence set seq = cast(? as integer) where name = 'sessions'", last) === 0)
    run("insert into sqlite_sequence (name, seq) values ('sessions', cast(? as integer))", last);
}

/** Gives the copy its name; false when such a file exists. */
function named(copy: string, path: string): boolean {
  try {
    linkSync(copy, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // safe: only its code is looked at
    throw storeError(error, `make ${path}`);
  }
  syncDirectory(join(path, '..'));
  return true;
}

/** Removes old copies, which hold conversations. */
function removeLeftCopies(directory: string): void {
  if (!existsSync(directory)) return;
  const copies = readdirSync(directory).filter((name) => /^\..*\.copy(-\w+)?$/.test(name));
  for (const path of copies.map((name) => join(directory, name))) {
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== undefined && Date.now() - made > LONGEST_FORK) rmSync(path, { force: true });
  }
}

function unlessMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAgentError(error) && error.code === 'SESSION_NOT_FOUND') return value;
    throw error;
  };
}
