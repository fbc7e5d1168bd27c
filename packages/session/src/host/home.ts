import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The file of the default store. */
export function defaultStorePath(): string {
  return join(agentHome(), 'sessions.db');
}

/** The file of a session's checkpoints. */
export function checkpointFile(sessionId: string): string {
  return join(agentHome(), 'checkpoints', `${sessionId}.db`);
}

/** The directory of the SDK's own files: `AGENT_SDK_HOME`, else `.agent-sdk` in the home directory; read when called. */
function agentHome(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['AGENT_SDK_HOME'];
  return named === undefined || named === '' ? join(homedir(), '.agent-sdk') : resolve(named);
}

/** Directories of keys and sessions that tools must not read without permission, as spelled and with links resolved. */
export function secretPlaces(): string[] {
  const places = [agentHome(), join(homedir(), '.ssh')];
  return [...new Set(places.flatMap((place) => [place, realPath(place)]))];
}

/** Resolves links; for a path that does not exist, where it would be. */
function realPath(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}
