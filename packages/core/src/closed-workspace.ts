import type { Workspace } from './workspace.ts';

/** A workspace whose doors are all shut: each calls `shut` with its name, which throws. Frozen. */
export function closedWorkspace(shut: (door: string) => never): Workspace {
  const later = (door: string) => async (): Promise<never> => shut(door);
  return Object.freeze({
    cwd: '/',
    env: Object.freeze({}),
    resolve: later('resolve'),
    readFile: later('readFile'),
    writeFile: later('writeFile'),
    makeLink: later('makeLink'),
    makeDirectory: later('makeDirectory'),
    remove: later('remove'),
    stat: later('stat'),
    list: () => shut('list'),
    spawn: () => shut('spawn'),
    fetch: later('fetch'),
  });
}
