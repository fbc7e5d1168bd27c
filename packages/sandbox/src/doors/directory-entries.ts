import { type Dir, type Dirent, lstatSync, opendirSync } from 'node:fs';
import type { FileKind } from '@x/core';
import { kindOf } from './file-doors.ts';
import { type BytePath, systemPath, textOfPath } from './path-bytes.ts';

/** Buffers as names: the types of Node do not know that it takes this. */
const BYTES = 'buffer' as 'latin1';
/** Entries that the system is asked for at once; synchronously, which takes a tenth of the time. */
const ENTRIES = 256;

/** What is directly in a directory, with its names as bytes. */
export function* directoryEntries(
  path: BytePath,
): Generator<{ readonly name: BytePath; readonly kind: FileKind }, void, void> {
  const directory = openedDirectory(path);
  try {
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      const name = (entry as unknown as Dirent<Buffer>).name.toString('latin1');
      const kind = kindOf(entry);
      yield { name, kind: kind === 'other' ? kindOfUnknown(`${path}/${name}`) : kind };
    }
  } finally {
    directory.closeSync();
  }
}

function openedDirectory(path: BytePath): Dir {
  try {
    return opendirSync(systemPath(path), { encoding: BYTES, bufferSize: ENTRIES });
  } catch (error) {
    // Node names the path in the errors of every call but this one.
    if (error instanceof Error && error.message.endsWith('opendir')) error.message += ` '${textOfPath(path)}'`;
    throw error;
  }
}

/** Some file systems do not report kinds in their listings. */
function kindOfUnknown(path: BytePath): FileKind {
  const found = lstatSync(systemPath(path), { throwIfNoEntry: false });
  return found ? kindOf(found) : 'other';
}
