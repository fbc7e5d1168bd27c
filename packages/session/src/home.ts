import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The file of the default store. */
export function defaultStorePath(): string {
  return join(agentHome(), 'sessions.db');
}

/** Where the SDK keeps its own files: `AGENT_SDK_HOME`, else `.agent-sdk` in the home directory; read when called. */
export function agentHome(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['AGENT_SDK_HOME'];
  return named === undefined || named === '' ? join(homedir(), '.agent-sdk') : resolve(named);
}
