/** A path of a call as it was spelled and where it leads to, both absolute and without `.` and `..`. */
export interface PathForms {
  readonly spelled: string;
  readonly resolved: string;
  /** For `~/x`, should the tool take it as the home directory. */
  readonly inHome?: string;
}

/** The path from `base`, without `.`, `..` and doubled slashes; an absolute path stands for itself. */
export function normalPath(path: string, base: string): string {
  const parts: string[] = [];
  for (const part of segmentsOf(path.startsWith('/') ? path : `${base}/${path}`)) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The same for two names that a file system which folds them takes for one. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC'); // by way of capitals: some letters share one
}

/** Its names, without empty ones. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** The directory itself counts as below it. */
export function isBelow(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

/** All that a path may stand for. */
export function formsOf({ spelled, resolved, inHome }: PathForms): string[] {
  return [...new Set([spelled, resolved, ...(inHome === undefined ? [] : [inHome])])];
}
