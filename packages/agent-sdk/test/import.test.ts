import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('programs/loaded-packages.ts', import.meta.url));

it('loads the patterns of schemas and no other package: clients, MCP and the parser of command lines come with their first use', async () => {
  expect((await loaded()).filter((name) => !name.startsWith('node:'))).toEqual(['re2js']);
});

it('loads of Node what costs little: the import of `node:util`, `node:crypto` or `node:child_process` alone takes milliseconds', async () => {
  expect((await loaded()).filter((name) => name.startsWith('node:')).toSorted()).toEqual([
    'node:async_hooks',
    'node:buffer',
    'node:fs',
    'node:fs/promises',
    'node:os',
    'node:path',
    'node:url',
  ]);
});

async function loaded(): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ['--no-warnings', '--conditions=@x/source', program]);
  return JSON.parse(stdout) as readonly string[]; // safe: what the program prints
}
