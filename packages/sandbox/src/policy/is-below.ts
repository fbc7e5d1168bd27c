import { sep } from 'node:path';

/** True for the directory itself and all below it; both absolute, without `.` and `..`. */
export function isBelow(path: string, directory: string): boolean {
  if (path === directory) return true;
  return path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}
