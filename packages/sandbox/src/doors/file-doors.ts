import { AgentError, type FileKind, type FileStat, ValidationError, type Workspace } from '@x/core';

/** The file half of a `Workspace`: everything that touches files, and nothing else. */
export type FileDoors = Pick<
  Workspace,
  'resolve' | 'readFile' | 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove' | 'stat' | 'list'
>;

/** More than any system takes. */
const MAX_PATH_LENGTH = 32_768;
/** How often an operation is begun again when somebody replaces what it works on. */
export const TRIES = 10;

/** Refuses a path that no system takes. @throws ValidationError on a NUL; AgentError `ENAMETOOLONG` */
export function checkPath(path: string): void {
  if (path.length > MAX_PATH_LENGTH) {
    throw new AgentError(`A path of ${path.length} characters leads nowhere`, { code: 'ENAMETOOLONG' });
  }
  if (path.includes('\0')) throw new ValidationError('A path must not hold a NUL character', 'path');
}

/** Refuses the target of a link that no system takes. @throws ValidationError on a NUL */
export function checkTarget(target: string): void {
  if (target.includes('\0')) throw new ValidationError('A link target must not hold a NUL character', 'target');
}

/** The error of a place that is reached no more: `PATH_CHANGED`. */
export function pathChanged(place: string, now: string): AgentError {
  return new AgentError(
    `${place} was replaced while it was used: ${now}. Nothing was read or changed; look at the path again, then repeat it`,
    { code: 'PATH_CHANGED' },
  );
}

/** Calls once more, up to 10 times in all, when something was replaced meanwhile. */
export async function again<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (codeOf(error) !== 'PATH_CHANGED' || tries === TRIES) throw error;
    }
  }
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The kind of a path itself. */
export function kindOf(found: Kinds): FileKind {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'symlink' : 'other';
}

/** The facts that a workspace reports about a path. */
export function factsOfFile(
  found: Kinds & { readonly size: number; readonly mode: number; readonly mtimeMs: number },
): FileStat {
  return { kind: kindOf(found), size: found.size, mode: found.mode & 0o7777, modifiedMs: found.mtimeMs };
}

/** The code of an error of the system. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
