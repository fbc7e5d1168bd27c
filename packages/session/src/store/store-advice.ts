/** Advice for a failure of the file; empty for an unknown one. */
export function adviceFor(cause: unknown): string {
  const { errcode, code } = (cause ?? {}) as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return BY_SQLITE.get(errcode & 0xff) ?? ''; // the lowest byte is the kind (sqlite.org/rescode.html)
  return typeof code === 'string' ? (BY_SYSTEM.get(code) ?? '') : '';
}

const FULL = 'Free some space on its disk and try again';
const DISK = 'Its disk may be failing: look at it before going on';
const RIGHTS = 'Give this user the right to write the file and its directory, or name another place';
const MANY = 'Too many files are open: close some, or raise the limit (ulimit -n)';

const BY_SQLITE: ReadonlyMap<number, string> = new Map([
  [5, 'Another process holds the file for long; try again'],
  [8, RIGHTS],
  [10, DISK],
  [11, 'The file is damaged; restore it from a copy'],
  [13, FULL],
  [14, 'Look whether its directory can be written, and whether too many files are open (ulimit -n)'],
  [26, 'The file is not one of this store; name another'],
]);

const BY_SYSTEM: ReadonlyMap<string, string> = new Map([
  ['EACCES', RIGHTS],
  ['EPERM', RIGHTS],
  ['EROFS', 'The file system can only be read; name another place'],
  ['ENOTDIR', 'Something on the way to it is not a directory; name another place'],
  ['EEXIST', 'Something on the way to it is not a directory; name another place'],
  ['EISDIR', 'There is a directory of that name; name another file'],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EIO', DISK],
  ['EMFILE', MANY],
  ['ENFILE', MANY],
]);
