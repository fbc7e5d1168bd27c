/** A path of a call as spelled and with its links resolved, both absolute and without `.` and `..`. */
export interface PathForms {
  readonly spelled: string;
  readonly resolved: string;
  /** The place of the name itself, its own link not followed; absent where it is as spelled. */
  readonly own?: string;
  /** The path for `~/x`, if the tool expands the home directory. */
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

/** A name in a form that is equal for names which a case-folding file system treats as one. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC'); // by way of capitals: some letters share one
}

/** Its names, without empty ones. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** True for a path below a directory, or the directory itself. */
export function isBelow(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

/** All paths that a path may stand for. */
export function formsOf({ spelled, resolved, inHome }: PathForms): string[] {
  return [...new Set([spelled, resolved, ...(inHome === undefined ? [] : [inHome])])];
}
