import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AgentError } from '@x/core';

/** What a new file takes over from the old one. */
export interface Kept {
  readonly old: Stats | undefined;
  /** The mode that it gets; undefined leaves it as it was created. */
  readonly finalMode: number | undefined;
}

/** Mode: as given, else that of the old file; never setuid, setgid or sticky, as new content never ran with those rights. */
export function keptOf(old: Stats | undefined, mode: number | undefined): Kept {
  const kept = mode ?? old?.mode;
  return { old, finalMode: kept === undefined ? undefined : kept & 0o777 };
}

/** Writes the content of a new file, with owner and mode, to the disk. */
export async function fillFile(file: FileHandle, content: Uint8Array, { old, finalMode }: Kept): Promise<void> {
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

/** Refuses to replace what is not a file. @throws AgentError `EISDIR` or `NOT_A_FILE` */
export function checkReplaced(path: string, found: Stats | undefined): void {
  if (found?.isDirectory()) throw new AgentError(`${path} is a directory`, { code: 'EISDIR' });
  if (found && !found.isFile()) throw new AgentError(`${path} is not a regular file`, { code: 'NOT_A_FILE' });
}
