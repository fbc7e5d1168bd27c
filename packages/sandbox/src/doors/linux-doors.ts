import { closeSync, openSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import type { FileStat } from '@x/core';
import { directoryEntries } from './directory-entries.ts';
import { again, checkPath, checkTarget, codeOf, type FileDoors, factsOfFile, pathChanged } from './file-doors.ts';
import { hold, holdDirectory, named, statOf, withHeld } from './held-place.ts';
import { linkAt, removeAt, replaceAt } from './linux-write.ts';
import { type BytePath, bytesOfPath, textOfPath } from './path-bytes.ts';
import { ownPlaceOf, placeOf } from './places.ts';
import { checkReadable, READ_FLAGS, readOpened, readSized } from './read-regular-file.ts';
import { sweepOnce } from './temporary-names.ts';

/**
 * The file methods of a workspace on Linux with `/proc`; relative paths start at `root`. Each walks to its place
 * without following a link, and goes on through the descriptor: no link that is swapped in meanwhile leads elsewhere.
 * @throws ValidationError on a path with a NUL; AgentError `ENAMETOOLONG`, `PATH_CHANGED`
 */
export function linuxDoors(root: string): FileDoors {
  const bytes = (path: string): BytePath => {
    checkPath(path);
    return bytesOfPath(resolvePath(root, path));
  };
  /** Calls with the place of the path: the path itself, or what `find` makes of it each time something was replaced. */
  const at = async <T>(path: string, { find, noFollow, act }: Act<T>): Promise<T> => {
    const meant = bytes(path);
    return noFollow ? await act(meant) : await again(async () => act(find(meant)));
  };
  const sweep = sweepOnce();
  return {
    resolve: async (path) => textOfPath(placeOf(bytes(path))),
    readFile: (path, options) => at(path, { ...options, find: placeOf, act: readAt }),
    writeFile: (path, content, { mode, noFollow } = {}) =>
      at(path, {
        noFollow,
        find: placeOf,
        act: (place) => replaceAt(place, { content, mode, cwd: () => textOfPath(placeOf(bytes('.'))), sweep }),
      }),
    async makeLink(path, target, options) {
      checkTarget(target);
      await at(path, { ...options, find: ownPlaceOf, act: (place) => linkAt(place, bytesOfPath(target)) });
    },
    makeDirectory: (path, options) =>
      at(path, { ...options, find: placeOf, act: (place) => closeSync(holdDirectory(place, { makes: true }).fd) }),
    remove: (path, options) => at(path, { ...options, find: ownPlaceOf, act: removeAt }),
    stat: (path, options) => at(path, { ...options, find: ownPlaceOf, act: statAt }),
    async *list(directory, options) {
      const held = await at(directory, { ...options, find: placeOf, act: (place) => holdDirectory(place) });
      try {
        for (const { name, kind } of directoryEntries(held.path)) yield { name: textOfPath(name), kind };
      } catch (error) {
        throw named(error, held);
      } finally {
        closeSync(held.fd);
      }
    },
  };
}

interface Act<T> {
  readonly noFollow?: boolean | undefined;
  readonly find: (path: BytePath) => BytePath;
  readonly act: (place: BytePath) => T | Promise<T>;
}

async function readAt(place: BytePath): Promise<Uint8Array> {
  return await withHeld(hold(place), async (held) => {
    const [{ path }, stat, shown] = [held, statOf(held), textOfPath(place)];
    if (stat.isSymbolicLink()) throw pathChanged(shown, 'it is a link');
    checkReadable(shown, stat); // before it is opened for reading: that can already act on a device
    if (stat.size === 0) return await readOpened(shown, path); // may be a table of the system
    const fd = openSync(path, READ_FLAGS);
    try {
      return await readSized(fd, stat.size);
    } finally {
      closeSync(fd);
    }
  });
}

function statAt(place: BytePath): FileStat | undefined {
  try {
    const held = hold(place);
    try {
      return factsOfFile(statOf(held));
    } finally {
      closeSync(held.fd);
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
