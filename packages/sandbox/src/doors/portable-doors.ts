import type { Stats } from 'node:fs';
import { lstat, mkdir, opendir, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join, resolve as resolvePath } from 'node:path';
import {
  again,
  checkPath,
  checkTarget,
  codeOf,
  type FileDoors,
  factsOfFile,
  kindOf,
  pathChanged,
} from './file-doors.ts';
import { readRegularFile } from './read-regular-file.ts';
import { replaceFile } from './replace-file.ts';
import { resolveLinks } from './resolve-links.ts';

/**
 * The file methods of a workspace on any system, by name; relative paths start at `root`. Places are checked before and after opening: a
 * link that is swapped in and out again meanwhile is not noticed.
 * @throws ValidationError on a path with a NUL; AgentError `ENAMETOOLONG`, `PATH_CHANGED`
 */
export function portableDoors(root: string): FileDoors {
  const absolute = (path: string) => {
    checkPath(path);
    return resolvePath(root, path);
  };
  /** The place of the path, links followed; with `noFollow` none may be in it. */
  const placeOf = async (path: string, { noFollow }: Following = {}) => {
    const place = await resolveLinks(absolute(path));
    if (noFollow && place !== absolute(path)) throw pathChanged(absolute(path), `it leads to ${place}`);
    return place;
  };
  /** The path itself; with `noFollow` no link may be around it. */
  const ownPlaceOf = async (path: string, options: Following = {}) => {
    if (options.noFollow) await placeOf(dirname(absolute(path)), options);
    return absolute(path);
  };
  return {
    resolve: async (path) => resolveLinks(absolute(path)),
    readFile: (path, options) => again(async () => readRegularFile(await placeOf(path, options))),
    writeFile: (path, content, { mode, ...options } = {}) =>
      again(async () => replaceFile(await placeOf(path, options), content, { mode, cwd: () => placeOf('.') })),
    async makeLink(path, target, options) {
      checkTarget(target);
      const link = await ownPlaceOf(path, options);
      await mkdir(dirname(link), { recursive: true });
      await symlink(target, link);
    },
    async makeDirectory(path, options) {
      await mkdir(await placeOf(path, options), { recursive: true });
    },
    async remove(path, options) {
      const target = await ownPlaceOf(path, options);
      const found = await lstat(target);
      await (found.isDirectory() ? rmdir(target) : unlink(target));
    },
    async stat(path, options) {
      const found = await statOf(await ownPlaceOf(path, options));
      return found && factsOfFile(found);
    },
    async *list(directory, options) {
      const path = options?.noFollow ? await placeOf(directory, options) : absolute(directory);
      for await (const entry of await opendir(path)) {
        const kind = kindOf(entry);
        // Some file systems do not report kinds in their listings.
        const found = kind === 'other' ? await statOf(join(path, entry.name)) : undefined;
        yield { name: entry.name, kind: found ? kindOf(found) : kind };
      }
    },
  };
}

interface Following {
  readonly noFollow?: boolean | undefined;
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
