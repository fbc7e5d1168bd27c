import { basename, dirname, join } from 'node:path';
import type { SpawnedProcess, Workspace } from '@x/core';
import type { PathOptions } from '@x/core/internal';
import type { TreePath } from '../tree/entry.ts';
import { parentOf } from '../tree/scope.ts';
import type { Windows } from './windows.ts';

export interface WatchingOptions {
  readonly call: string;
  readonly windows: Windows;
  /** The path below the root that stands for an absolute one; undefined outside. */
  readonly treePath: (place: string) => TreePath | undefined;
}

/** The same doors and commands; what they change belongs to the call. Commands that say that they change nothing are not looked at. */
export function watchingWorkspace(workspace: Workspace, { call, windows, treePath }: WatchingOptions): Workspace {
  const around = async (place: string, act: () => Promise<void>): Promise<void> => {
    const path = treePath(place);
    if (path === undefined) return await act();
    await windows.aroundPaths(call, withParents(path), act);
  };
  const target = async (path: string, { noFollow }: PathOptions = {}) =>
    noFollow ? path : await workspace.resolve(path);
  /** The place of the path itself, when it is a link. */
  const own = async (path: string, { noFollow }: PathOptions = {}) => {
    if (noFollow) return path;
    const whole = path.startsWith('/') ? path : join(workspace.cwd, path);
    return join(await workspace.resolve(dirname(whole)), basename(whole));
  };
  return {
    ...workspace,
    writeFile: async (path, content, options) =>
      around(await target(path, options), () => workspace.writeFile(path, content, options)),
    makeLink: async (path, to, options) =>
      around(await own(path, options), () => workspace.makeLink(path, to, options)),
    makeDirectory: async (path, options) =>
      around(await target(path, options), () => workspace.makeDirectory(path, options)),
    remove: async (path, options) => around(await own(path, options), () => workspace.remove(path, options)),
    spawn: (command, options) =>
      options.readonly
        ? workspace.spawn(command, options)
        : watchedProcess(windows.begin(call), () => workspace.spawn(command, options)),
  };
}

function withParents(path: TreePath): TreePath[] {
  const paths = [path];
  for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) paths.unshift(parent);
  return paths;
}

/** Starts once the window is open; it ends when the window is closed, so that no result comes before its changes are recorded. */
function watchedProcess(window: Promise<() => Promise<void>>, start: () => SpawnedProcess): SpawnedProcess {
  let running: SpawnedProcess | undefined;
  let isKilled = false;
  const starting = window.then(() => {
    running = start();
    if (isKilled) running.kill();
    return running;
  });
  const exit = starting.then(async (started) => {
    const end = await started.exit;
    await (await window)();
    return end;
  });
  async function* output(): SpawnedProcess['output'] {
    yield* (await starting).output;
    await exit;
  }
  return {
    output: output(),
    exit,
    kill() {
      isKilled = true;
      running?.kill();
    },
  };
}
