import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Prefix of files that are still being written. They are never read. */
const TEMPORARY_PREFIX = '.role-tmp-';
/** The process that began such a file so long ago was killed. */
const ABANDONED_MS = 10 * 60_000;

/** Error codes of a link, a device without a driver, a socket. */
const NO_FILE_CODES: readonly unknown[] = ['ELOOP', 'EMLINK', 'ENXIO', 'ENODEV'];

// Windows has neither O_NOFOLLOW nor O_NONBLOCK; an undefined one sets no bit.
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Replaces a file in one step, for its user only; on disk when resolved. @throws errors of the system */
export async function replaceFile(directory: string, name: string, content: Uint8Array): Promise<void> {
  const temporary = join(directory, `${TEMPORARY_PREFIX}${crypto.randomUUID()}`);
  const file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(directory, name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  await syncDirectory(directory);
}

/** Removes a file; on disk when resolved. False when it is missing. */
export async function removeFile(directory: string, name: string): Promise<boolean> {
  try {
    await unlink(join(directory, name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  await syncDirectory(directory);
  return true;
}

/**
 * The bytes of a file; undefined when it is missing. @throws NoFile for a link, a directory or a device, or a file larger than `limit`;
 * else errors of the system
 */
export async function readSmallFile(path: string, limit: number): Promise<Uint8Array | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    // Without O_NONBLOCK opening a pipe of that name would wait.
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw NO_FILE_CODES.includes(codeOf(error)) ? new NoFile('it is not a regular file') : error;
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new NoFile('it is not a regular file');
    if (found.size > limit) throw new NoFile(`it has ${found.size} bytes; at most ${limit} are read`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The name belongs to something other than a file, or to one that is too large. */
export class NoFile extends Error {
  override readonly name = 'NoFile';
}

/** Removes unfinished files of killed processes. Best effort: they are never read anyway. */
export async function removeAbandoned(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((one) => one.startsWith(TEMPORARY_PREFIX))) {
    const path = join(directory, name);
    try {
      if (Date.now() - (await lstat(path)).mtimeMs > ABANDONED_MS) await unlink(path);
    } catch {
      // Another process was faster, or has it open.
    }
  }
}

/** The names in a directory; empty when it is missing. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Creates a directory, private to its user, and its missing parents; on disk when resolved. @throws errors of the system */
export async function makeDirectory(path: string): Promise<void> {
  const above = dirname(path);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && (await isDirectory(path))) return;
    if (code !== 'ENOENT' || above === path) throw error;
    await makeDirectory(above);
    await mkdir(path, { mode: 0o700 }).catch(async (again: unknown) => {
      if (codeOf(again) !== 'EEXIST' || !(await isDirectory(path))) throw again;
    });
  }
  await syncDirectory(above);
}

/** The code of a system error. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined; // safe: its code may be anything
}

async function isDirectory(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false, // why it could not be made says more
  );
}

/** Flushes a directory, so that the names of files in it last. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return; // directories cannot be opened there
  const directory = await open(path, O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
