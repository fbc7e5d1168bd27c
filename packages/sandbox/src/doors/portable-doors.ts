import { type Dir, type Dirent, type Stats } from 'node:fs';
import { lstat, mkdir, opendir, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { AgentError, type FileKind, type FileStat, ValidationError, type Workspace } from '@x/core';
import { readRegularFile } from './read-regular-file.ts';
import { replaceFile } from './replace-file.ts';
import { resolveLinks } from './resolve-links.ts';

/** More than any system takes. */
const MAX_PATH_LENGTH = 32_768;

/**
 * The file methods of a workspace on any system; relative paths start at `root`.
 * @throws ValidationError on a path with a NUL; AgentError `ENAMETOOLONG`
 */
export function portableDoors(root: string): FileDoors {
  const absolute = (path: string) => {
    if (path.length > MAX_PATH_LENGTH) {
      throw new AgentError(`A path of ${path.length} characters leads nowhere`, { code: 'ENAMETOOLONG' });
    }
    if (path.includes('\0')) throw new ValidationError('A path must not hold a NUL character', 'path');
    return resolvePath(root, path);
  };
  return {
    resolve: async (path) => resolveLinks(absolute(path)),
    readFile: async (path) => readRegularFile(absolute(path)),
    writeFile: async (path, content, options) => replaceFile(await resolveLinks(absolute(path)), content, options),
    async makeLink(path, target) {
      if (target.includes('\0')) throw new ValidationError('A link target must not hold a NUL character', 'target');
      const link = absolute(path);
      await mkdir(dirname(link), { recursive: true });
      await symlink(target, link);
    },
    async makeDirectory(path) {
      await mkdir(absolute(path), { recursive: true });
    },
    async remove(path) {
      const target = absolute(path);
      const found = await lstat(target);
      await (found.isDirectory() ? rmdir(target) : unlink(target));
    },
    async stat(path) {
      const found = await statOf(absolute(path));
      return found && factsOfFile(found);
    },
    list: (directory) => entriesOf(absolute, directory),
  };
}

async function* entriesOf(absolute: (path: string) => string, directory: string): ReturnType<FileDoors['list']> {
  const path = absolute(directory);
  const entries: Dir = await opendir(path);
  for await (const entry of entries) {
    const kind = kindOf(entry);
    // Some file systems do not report kinds in their listings.
    const found = kind === 'other' ? await statOf(join(path, entry.name)) : undefined;
    yield { name: entry.name, kind: found ? kindOf(found) : kind };
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function factsOfFile(found: Stats): FileStat {
  return { kind: kindOf(found), size: found.size, mode: found.mode & 0o7777, modifiedMs: found.mtimeMs };
}

function kindOf(found: Stats | Dirent): FileKind {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'symlink' : 'other';
}

/** The file half of a `Workspace`: everything that touches files, and nothing else. */
export type FileDoors = Pick<
  Workspace,
  'resolve' | 'readFile' | 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove' | 'stat' | 'list'
>;
