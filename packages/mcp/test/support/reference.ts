import { fileURLToPath } from 'node:url';

const PROGRAMS = {
  'server-everything': import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  'server-filesystem': import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  'server-memory': import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
};
/** A server of those that come with the protocol. */
export const reference = (
  name: keyof typeof PROGRAMS,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) => ({
  command: process.execPath,
  args: [fileURLToPath(PROGRAMS[name]), ...args],
  env,
});
