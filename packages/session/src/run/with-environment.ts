import type { Workspace } from '@x/core';

/** Adds variables to a workspace's commands: the ones known when a command is started. */
export function withLateEnvironment(
  workspace: Workspace,
  more: () => Readonly<Record<string, string>> | undefined,
): Workspace {
  return { ...workspace, spawn: (command, options) => withEnvironment(workspace, more()).spawn(command, options) };
}

/** Adds variables to a workspace's commands and tools; returns it unchanged without any. */
export function withEnvironment(workspace: Workspace, more: Readonly<Record<string, string>> = {}): Workspace {
  if (Object.keys(more).length === 0) return workspace;
  return {
    ...workspace,
    env: { ...workspace.env, ...more },
    spawn: (command, options) => workspace.spawn(command, { ...options, env: { ...more, ...options.env } }),
  };
}
