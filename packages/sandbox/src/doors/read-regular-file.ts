import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { AgentError } from '@x/core';

const MAX_BYTES = 256 * 1024 * 1024;
// Windows has no such flags; undefined counts as 0.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * The bytes of a regular file of at most 256 MiB, links followed; never waits for a writer.
 * @throws AgentError `EISDIR`, `NOT_A_FILE` or `FILE_TOO_LARGE`; else what the system says (`ENOENT`, `EACCES`)
 */
export async function readRegularFile(path: string): Promise<Uint8Array> {
  // Opening a device can already act on it, so it is looked at first; what was opened is looked at again.
  check(path, await stat(path));
  const file = await open(path, FLAGS);
  try {
    check(path, await file.stat());
    return await file.readFile();
  } finally {
    await file.close();
  }
}

interface Found {
  readonly size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

function check(path: string, found: Found): void {
  if (found.isDirectory()) throw new AgentError(`${path} is a directory`, { code: 'EISDIR' });
  if (!found.isFile()) throw new AgentError(`${path} is not a regular file`, { code: 'NOT_A_FILE' });
  if (found.size <= MAX_BYTES) return;
  throw new AgentError(`${path} has ${found.size} bytes; at most ${MAX_BYTES} are read`, { code: 'FILE_TOO_LARGE' });
}
