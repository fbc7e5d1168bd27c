import { fileURLToPath } from 'node:url';
import type { McpStdioServerConfig } from '../../src/index.ts';

const program = fileURLToPath(new URL('../programs/stdio-server.ts', import.meta.url));

/** A server of `plainServer` in a process of its own. */
export function stdio(
  options: object = {},
  config: Partial<McpStdioServerConfig> = {},
): McpStdioServerConfig & { readonly command: string } {
  const { NODE_COMPILE_CACHE } = process.env; // a server gets none of our variables
  const env = NODE_COMPILE_CACHE === undefined ? {} : { env: { NODE_COMPILE_CACHE } };
  return { command: process.execPath, args: ['--no-warnings', program, JSON.stringify(options)], ...env, ...config };
}
