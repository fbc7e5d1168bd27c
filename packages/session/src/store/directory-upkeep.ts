import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AbortError, isAgentError, ValidationError } from '@x/core';
import { syncDirectory } from '@x/sandbox/internal';
import type { BackupSettings, CompactedStore, StoreUpkeep } from '../log/session-store.ts';
import { storeError } from './group-commit.ts';
import { END, type SessionFiles } from './session-files.ts';
import { APPLICATION_ID } from './sqlite-identity.ts';

/** File by file: each session is copied at its own moment. */
export function directoryUpkeep(files: SessionFiles): StoreUpkeep {
  return {
    backup: async (to, settings) => await backup(files, to, settings),
    async compact(): Promise<CompactedStore> {
      let [bytesBefore, bytesAfter] = [0, 0];
      for (const path of files.paths()) {
        const found = await compactFile(files, path);
        bytesBefore += found?.bytesBefore ?? 0;
        bytesAfter += found?.bytesAfter ?? 0;
      }
      return { bytesBefore, bytesAfter };
    },
  };
}

/** A running session keeps its file as it is, and blocks no other. */
async function compactFile(files: SessionFiles, path: string): Promise<CompactedStore | undefined> {
  try {
    return await files.withListed(path, ({ store }) => store.upkeep.compact());
  } catch (error) {
    if (!isAgentError(error) || error.code !== 'SESSION_BUSY') throw error;
    const { size } = statSync(path);
    return { bytesBefore: size, bytesAfter: size };
  }
}

/** Under a temporary name first, as the copy of one file is. */
async function backup(
  files: SessionFiles,
  to: string,
  { overwrite = false, signal }: BackupSettings = {},
): Promise<void> {
  const target = resolve(to);
  const id = crypto.randomUUID();
  const [temporary, old] = [`${target}.${id}.tmp`, `${target}.${id}.old`];
  if (existsSync(target)) checkMayBeReplaced(target, files.directory, overwrite);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    for (const path of files.paths()) {
      const copy = join(temporary, basename(path));
      await files.withListed(path, ({ store }) => store.upkeep.backup(copy, signal ? { signal } : {}));
    }
    if (signal?.aborted) throw new AbortError();
    if (existsSync(target)) await rename(target, old);
    await rename(temporary, target);
    syncDirectory(dirname(target));
    await rm(old, { recursive: true, force: true });
  } catch (error) {
    await rename(old, target).catch(() => undefined); // where the new one could not take its place
    throw storeError(error, `copy ${files.directory} to ${target}`);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Refuses everything except an earlier copy, since a replaced directory is removed. @throws ValidationError */
function checkMayBeReplaced(target: string, directory: string, overwrite: boolean): void {
  if (!overwrite)
    throw new ValidationError(`${target} exists already; name another directory, or say overwrite: true`, 'to');
  const isItself = existsSync(directory) && realpathSync(target) === realpathSync(directory);
  if (!isItself && statSync(target).isDirectory() && isCopy(target)) return;
  throw new ValidationError(
    `${target} is not replaced: it is an open store, or holds more than a copy of sessions; name another directory`,
    'to',
  );
}

/** Checks names first: a file of an open store, with a log next to it, must not be opened and closed (fcntl(2) would drop its locks). */
function isCopy(target: string): boolean {
  const names = readdirSync(target);
  return names.every((name) => name.endsWith(END)) && names.every((name) => isOfSession(join(target, name)));
}

/** Reads the application id in the header (sqlite.org/fileformat2.html#application_id). */
function isOfSession(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const [file, id] = [openSync(path, 'r'), Buffer.alloc(4)];
  try {
    return readSync(file, id, 0, 4, 68) === 4 && id.readUInt32BE() === APPLICATION_ID;
  } finally {
    closeSync(file);
  }
}
