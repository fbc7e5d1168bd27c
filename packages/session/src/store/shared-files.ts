import { obstacleTo } from './sqlite-connect.ts';
import { type OpenSqlite, openSqlite } from './sqlite-file.ts';

/**
 * The open files of this process, by their absolute path: all stores of one file share a connection, its three file descriptors and its
 * commits.
 */
const shared = new Map<string, { readonly file: OpenSqlite; users: number }>();

/** The open file of this path, opened for its first user. Call `giveBack` once for each call. */
export function takeFile(path: string): OpenSqlite {
  const found = shared.get(path);
  if (found && !found.file.isStale && found.file.isThere() && !mayBeWritten(path, found.file)) {
    found.users += 1;
    return found.file;
  }
  shared.delete(path);
  found?.file.close();
  const file = openSqlite(path);
  shared.set(path, { file, users: 1 });
  return file;
}

/** Closes the file after its last user. A stale one is closed already, or by its last user here. */
export function giveBack(path: string, file: OpenSqlite): void {
  const found = shared.get(path);
  if (found?.file !== file) return;
  found.users -= 1;
  if (found.users > 0) return;
  shared.delete(path);
  file.close();
}

/** True when it was opened read-only, and the reason is gone. */
export function mayBeWritten(path: string, { obstacle }: OpenSqlite): boolean {
  return obstacle !== undefined && obstacleTo(path) === undefined;
}
