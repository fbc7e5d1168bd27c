import { constants, type Stats } from 'node:fs';
import { mkdir, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathChanged } from './file-doors.ts';
import { checkReplaced, fillFile, keptOf } from './fill-file.ts';
import { type Place, refuseNamesOutside } from './hard-links.ts';
import { temporaryName } from './temporary-names.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
const FLAGS = O_CREAT | O_EXCL | O_WRONLY | constants.O_NOFOLLOW; // undefined on Windows, which adds nothing

/** Options of `replaceFile`. */
export interface ReplaceFileOptions {
  /** Default: that of the old file, else 0644 less the umask. Setuid, setgid and sticky are dropped. */
  readonly mode?: number | undefined;
  /** A file with other names is only replaced when they are below it. */
  readonly cwd: Place;
}

/**
 * Replaces the file at `path` (links resolved by the caller) in one step, durably; parents are created.
 * @throws AgentError `EISDIR` or `NOT_A_FILE` when something else has the name, `HARD_LINKED`, `PATH_CHANGED`
 */
export async function replaceFile(path: string, content: Uint8Array, { mode, cwd }: ReplaceFileOptions): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true });
  const old = await regularFile(path);
  if (old) await refuseNamesOutside(path, old, cwd);
  const kept = keptOf(old, mode);
  const temporary = join(directory, temporaryName());
  const file = await open(temporary, FLAGS, kept.finalMode === undefined ? 0o644 : 0o600);
  try {
    try {
      await fillFile(file, content, kept);
    } finally {
      await file.close();
    }
    const now = await realpath(directory);
    if (now !== directory) throw pathChanged(path, `its directory is ${now}`);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  await syncDirectory(directory);
}

async function regularFile(path: string): Promise<Stats | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  checkReplaced(path, found);
  return found;
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return; // directories cannot be opened there
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
