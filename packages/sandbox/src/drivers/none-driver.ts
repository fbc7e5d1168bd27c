import { existsSync } from 'node:fs';
import type { SandboxDriver } from '../driver/driver.ts';

/** No wall: commands run as this user, with everything this user can do. Only for a host that names it. */
export function noneDriver(): SandboxDriver {
  return {
    name: 'none',
    capabilities: {
      network: ['host', 'none'],
      localBinding: 'real',
      unixSockets: 'by-path',
      limits: [],
      files: 'open',
    },
    probe: async () => [],
    contain: async ({ command, env, cwd }) => ({
      argv: typeof command === 'string' ? [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', command] : command,
      env,
      cwd,
      finish: async () => ({ violations: [] }),
    }),
  };
}
