import type { Workspace } from '@x/core';

/** The same workspace, whose commands see more variables: those that are known at the moment at which one is started. */
export function withLateEnvironment(
  workspace: Workspace,
  more: () => Readonly<Record<string, string>> | undefined,
): Workspace {
  return { ...workspace, spawn: (command, options) => withEnvironment(workspace, more()).spawn(command, options) };
}

/** The same workspace, whose commands and tools see more variables; itself when there are none. */
export function withEnvironment(workspace: Workspace, more: Readonly<Record<string, string>> = {}): Workspace {
  if (Object.keys(more).length === 0) return workspace;
  return {
    ...workspace,
    env: { ...workspace.env, ...more },
    spawn: (command, options) => workspace.spawn(command, { ...options, env: { ...more, ...options.env } }),
  };
}
