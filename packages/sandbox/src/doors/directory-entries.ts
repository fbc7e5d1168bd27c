import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import type { FileKind } from '@x/core';
import { kindOf } from './file-doors.ts';
import { type BytePath, systemPath } from './path-bytes.ts';

/** Buffers as names: the types of Node do not know that it takes this. */
const BYTES = 'buffer' as 'latin1';

/** What is directly in a directory, with its names as bytes. */
export async function* directoryEntries(
  path: BytePath,
): AsyncGenerator<{ readonly name: BytePath; readonly kind: FileKind }, void, void> {
  for await (const entry of await opendir(systemPath(path), { encoding: BYTES })) {
    const name = (entry as unknown as Dirent<Buffer>).name.toString('latin1');
    const kind = kindOf(entry);
    // Some file systems do not report kinds in their listings.
    const found = kind === 'other' ? await lstat(systemPath(`${path}/${name}`)).catch(() => undefined) : undefined;
    yield { name, kind: found ? kindOf(found) : kind };
  }
}
