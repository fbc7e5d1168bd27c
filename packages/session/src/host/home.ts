import { join, resolve } from 'node:path';
import { ValidationError } from '@x/core';
import { homeDirectory, realPlace } from '@x/sandbox/internal';

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
  return named === undefined || named === '' ? join(homeDirectory(), '.agent-sdk') : resolve(named);
}

/** Directories of keys and sessions that tools must not read without permission, as spelled and with links resolved. */
export function secretPlaces(): string[] {
  const places = [agentHome(), join(homeDirectory(), '.ssh')];
  return [...new Set(places.flatMap((place) => [place, realPlace(place)]))];
}

/** The working directory of the process. @throws ValidationError when it was removed */
export function processDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new ValidationError('The working directory of this process was removed; name another as cwd', 'cwd');
  }
}
