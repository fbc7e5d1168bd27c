import { AgentError, type Workspace } from '@x/core';

/** A workspace that refuses all access, for tools without one. Each method throws AgentError `NO_WORKSPACE`. */
export function noWorkspace(advice = 'give createChatModelAgent a workspace'): Workspace {
  const shut = (door: string): never => {
    throw new AgentError(`There is no workspace for ${door}; ${advice}`, 'NO_WORKSPACE', 400);
  };
  return {
    cwd: '/',
    env: {},
    resolve: async () => shut('resolve'),
    readFile: async () => shut('readFile'),
    writeFile: async () => shut('writeFile'),
    makeLink: async () => shut('makeLink'),
    makeDirectory: async () => shut('makeDirectory'),
    remove: async () => shut('remove'),
    stat: async () => shut('stat'),
    list: () => shut('list'),
    spawn: () => shut('spawn'),
    fetch: async () => shut('fetch'),
  };
}
