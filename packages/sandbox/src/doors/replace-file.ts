import { constants, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AgentError } from '@x/core';

/** Prefix of unfinished files. One that is found belongs to a process that was killed, and may be removed. */
export const TEMPORARY_PREFIX = '.agent-sdk-tmp-';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
const FLAGS = O_CREAT | O_EXCL | O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Replaces the file at `path` (links resolved by the caller) in one step, durably; parents are created. Mode: as given, else that of the
 * old file, else 0644 less the umask; never setuid, setgid or sticky, as new content never ran with those rights.
 * @throws AgentError `EISDIR` or `NOT_A_FILE` when something else has the name
 */
export async function replaceFile(
  path: string,
  content: Uint8Array,
  { mode }: { readonly mode?: number } = {},
): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true });
  const old = await regularFile(path);
  const kept = mode ?? old?.mode;
  const finalMode = kept === undefined ? undefined : kept & 0o777;
  const temporary = join(directory, `${TEMPORARY_PREFIX}${crypto.randomUUID()}`);
  const file = await open(temporary, FLAGS, finalMode === undefined ? 0o644 : 0o600);
  try {
    try {
      await fill(file, content, { old, finalMode });
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  await syncDirectory(directory);
}

async function fill(
  file: FileHandle,
  content: Uint8Array,
  { old, finalMode }: { old: Stats | undefined; finalMode: number | undefined },
): Promise<void> {
  for (let written = 0; written < content.length; ) {
    written += (await file.write(content, written, content.length - written)).bytesWritten;
  }
  if (old) await keepOwner(file, old);
  if (finalMode !== undefined) await file.chmod(finalMode);
  await file.sync();
}

/** Sets the owner of the replaced file, if this process may. */
async function keepOwner(file: FileHandle, old: Stats): Promise<void> {
  const made = await file.stat();
  if (made.uid === old.uid && made.gid === old.gid) return;
  await file.chown(old.uid, old.gid).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error;
  });
}

async function regularFile(path: string): Promise<Stats | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isDirectory()) throw new AgentError(`${path} is a directory`, { code: 'EISDIR' });
  if (found && !found.isFile()) throw new AgentError(`${path} is not a regular file`, { code: 'NOT_A_FILE' });
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
