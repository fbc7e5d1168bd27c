import { constants, read } from 'node:fs';
import { type FileHandle, open, stat, statfs } from 'node:fs/promises';
import { AgentError } from '@x/core';
import { pathChanged } from './file-doors.ts';

const MAX_BYTES = 256 * 1024 * 1024;
// Windows has no such flags; undefined counts as 0.
export const READ_FLAGS: number = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY; // undefined on Windows, which adds nothing

/**
 * The bytes of a regular file of at most 256 MiB, links followed; never waits for a writer. Files under `/proc` do not count as regular.
 * @throws AgentError `EISDIR`, `NOT_A_FILE`, `FILE_TOO_LARGE`, or `PATH_CHANGED` when another file came there; else errors of the system (`ENOENT`, `EACCES`)
 */
export async function readRegularFile(path: string): Promise<Uint8Array> {
  // Opening a device can already act on it, so the path is checked first; the opened file is checked again.
  const before = await stat(path);
  checkReadable(path, before);
  return await readOpened(path, path, (found) => {
    if (found.dev !== before.dev || found.ino !== before.ino) throw pathChanged(path, 'another file has its name');
  });
}

/** As `readRegularFile`, of what is opened by another path than the one that messages name. */
export async function readOpened(
  path: string,
  opened: string,
  check?: (found: Awaited<ReturnType<FileHandle['stat']>>) => void,
): Promise<Uint8Array> {
  const file = await open(opened, READ_FLAGS);
  try {
    const found = await file.stat();
    check?.(found);
    checkReadable(path, found);
    if (found.size === 0) await checkOrigin(path, file.fd);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The bytes of an opened file that reports its size. */
export async function readSized(fd: number, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let filled = 0; filled < size; ) {
    const bytesRead = await readInto(fd, bytes, filled);
    if (bytesRead === 0) return bytes.slice(0, filled); // it was cut meanwhile
    filled += bytesRead;
  }
  return bytes;
}

/** Fills bytes from this index on, and resolves with the number of those that were read. */
function readInto(fd: number, bytes: Uint8Array, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, bytes, from, bytes.length - from, null, (error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** The type that `statfs` reports for `/proc`. */
const PROC = 0x9fa0;

/** Refuses files under `/proc`: they report size 0, and reveal the environment of this process, its keys included. */
async function checkOrigin(path: string, descriptor: number): Promise<void> {
  if (process.platform !== 'linux') return;
  const system = await statfs(`/proc/self/fd/${descriptor}`).catch(() => undefined); // without /proc no file is below it
  if (system?.type === PROC)
    throw new AgentError(`${path} is a table of the system, not a regular file`, { code: 'NOT_A_FILE' });
}

interface Found {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** Refuses what is not a regular file of at most 256 MiB. @throws AgentError */
export function checkReadable(path: string, found: Found): void {
  if (found.isDirectory()) throw new AgentError(`${path} is a directory`, { code: 'EISDIR' });
  if (!found.isFile()) throw new AgentError(`${path} is not a regular file`, { code: 'NOT_A_FILE' });
  if (found.size <= MAX_BYTES) return;
  throw new AgentError(`${path} has ${found.size} bytes; at most ${MAX_BYTES} are read`, { code: 'FILE_TOO_LARGE' });
}
