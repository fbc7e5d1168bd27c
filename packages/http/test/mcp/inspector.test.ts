import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { McpWorld } from '../support/mcp-clients.ts';

const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/build/index.js'));
const hook = fileURLToPath(new URL('../support/inspector-hook.mjs', import.meta.url));
const world = new McpWorld();
afterEach(async () => await world.end());

async function inspected(url: string, ...args: readonly string[]) {
  const all = [
    '--import',
    hook,
    inspector,
    `${url}/mcp`,
    '--transport',
    'http',
    '--header',
    'Authorization: Bearer secret',
    ...args,
  ];
  return JSON.parse((await promisify(execFile)(process.execPath, all)).stdout);
}

describe("the MCP inspector's command line", () => {
  it('lists and calls', async () => {
    const { url } = await world.serve({ token: 'secret' });

    const { tools } = await inspected(url, '--method', 'tools/list');
    const call = ['--method', 'tools/call', '--tool-name', 'add-one', '--tool-arg', 'a=41'];

    expect(tools).toContainEqual(expect.objectContaining({ name: 'add-one' }));
    expect(await inspected(url, ...call)).toEqual({ content: [{ type: 'text', text: '42' }] });
  });
});
