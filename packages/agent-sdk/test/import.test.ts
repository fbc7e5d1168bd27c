import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('programs/loaded-packages.ts', import.meta.url));

it('loads the patterns of schemas and no other package: clients, MCP and the parser of command lines come with their first use', async () => {
  const { stdout } = await run(process.execPath, ['--no-warnings', '--conditions=@x/source', program]);

  expect(JSON.parse(stdout)).toEqual(['re2js']);
});
