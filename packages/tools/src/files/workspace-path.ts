/** The path from `base`, without `.`, `..` and doubled slashes; an absolute path stands for itself. */
export function joinPath(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The path relative to `base`: the rest of it below, `.` for the base itself, the whole path anywhere else. */
export function pathFrom(base: string, path: string): string {
  if (path === base) return '.';
  const prefix = base === '/' ? '/' : `${base}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** The directory a path is in, and its name there. */
export function splitPath(path: string): { directory: string; name: string } {
  const at = path.lastIndexOf('/');
  return { directory: at <= 0 ? '/' : path.slice(0, at), name: path.slice(at + 1) };
}
