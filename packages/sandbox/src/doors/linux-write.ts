import { constants, lstatSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { AgentError } from '@x/core';
import { pathChanged } from './file-doors.ts';
import { checkReplaced, fillFile, type Kept, keptOf } from './fill-file.ts';
import { type Place, refuseNamesOutside } from './hard-links.ts';
import { type Held, holdDirectory, withHeld } from './held-place.ts';
import { type BytePath, systemPath, textOfPath } from './path-bytes.ts';
import { temporaryName } from './temporary-names.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

export interface ReplaceOptions {
  readonly content: Uint8Array;
  readonly mode: number | undefined;
  /** A file with other names is only replaced when they are below it. */
  readonly cwd: Place;
  /** Called with the directory before anything is written there. */
  readonly sweep: (directory: Held) => void;
}

/**
 * Replaces the file at a place without links in one step, durably; missing directories are made.
 * @throws AgentError `PATH_CHANGED`, `EISDIR`, `NOT_A_FILE`, `HARD_LINKED`; else errors of the system
 */
export async function replaceAt(place: BytePath, { content, mode, cwd, sweep }: ReplaceOptions): Promise<void> {
  const shown = textOfPath(place);
  if (place === '/') throw new AgentError('/ is a directory', { code: 'EISDIR' });
  await withHeld(holdDirectory(dirname(place), { makes: true }), async (directory) => {
    const target = systemPath(`${directory.path}/${basename(place)}`);
    const old = lstatSync(target, { throwIfNoEntry: false });
    if (old?.isSymbolicLink()) throw pathChanged(shown, 'it is a link');
    checkReplaced(shown, old);
    if (old) await refuseNamesOutside(shown, old, cwd);
    sweep(directory);
    const synced = await open(`${directory.path}/.`, O_RDONLY | O_DIRECTORY);
    try {
      await replaceIn(directory, { target, content, kept: keptOf(old, mode) });
      await synced.sync();
    } finally {
      await synced.close();
    }
  });
}

interface Replacement {
  readonly target: Buffer;
  readonly content: Uint8Array;
  readonly kept: Kept;
}

async function replaceIn(directory: Held, { target, content, kept }: Replacement): Promise<void> {
  const temporary = `${directory.path}/${temporaryName()}`;
  const flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW;
  const file = await open(temporary, flags, kept.finalMode === undefined ? 0o644 : 0o600);
  try {
    try {
      await fillFile(file, content, kept);
    } finally {
      await file.close();
    }
    renameSync(temporary, target);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // the first error is the one to tell
    }
    throw error;
  }
}

/** Removes a file, a link or an empty directory. @throws AgentError `PATH_CHANGED`; else errors of the system */
export async function removeAt(place: BytePath): Promise<void> {
  await withHeld(holdDirectory(dirname(place)), (directory) => {
    const target = systemPath(`${directory.path}/${basename(place)}`);
    const found = lstatSync(target);
    if (found.isDirectory()) rmdirSync(target);
    else unlinkSync(target);
  });
}

/** Makes a link; missing directories are made. @throws AgentError `PATH_CHANGED`; else errors of the system */
export async function linkAt(place: BytePath, target: BytePath): Promise<void> {
  await withHeld(holdDirectory(dirname(place), { makes: true }), (directory) =>
    symlinkSync(systemPath(target), systemPath(`${directory.path}/${basename(place)}`)),
  );
}
