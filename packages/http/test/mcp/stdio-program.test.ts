import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createMcpHub } from '@x/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INITIALIZE } from '../support/mcp-clients.ts';

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const registry = JSON.stringify(import.meta.resolve('@x/registry'));
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stdio-program-'));
  const make = `import { ToolRegistry } from ${registry};
console.log('printed while it was loaded');
export const registry = new ToolRegistry();
registry.register({ name: 'hello', description: 'Greets', parameters: [] }, async () => {
  console.log('printed by a tool');
  process.stdout.write('and once more');
  return 'hello';
});
registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async (_, { signal }) => {
  signal.addEventListener('abort', () => console.error('was aborted'));
  await new Promise(() => undefined);
});
setInterval(() => undefined, 1_000); // what a module leaves open does not keep the program\n`;
  writeFileSync(join(folder, 'module.mjs'), make);
});
afterAll(() => rmSync(folder, { recursive: true }));

const args = ['--conditions=@x/source', '--no-warnings', program, './module.mjs', '--stdio'];
const started = () => spawn(process.execPath, args, { cwd: folder, env: { ...process.env, LOG_LEVEL: 'fatal' } });
const lineOf = (message: object) => `${JSON.stringify(message)}\n`;
const call = (id: number, name: string) => lineOf({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

describe('npx @x/http <module> --stdio', () => {
  it('answers the official client, and ends with it', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' });
    await client.connect(transport);
    const { pid } = transport;

    const { tools } = await client.listTools();
    const called = await client.callTool({ name: 'hello' });
    await client.close();

    expect(tools.map(({ name }) => name)).toEqual(['hello', 'waits']);
    expect(called.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
  });

  it('answers our own hub', async () => {
    const hub = createMcpHub({ servers: { own: { command: process.execPath, args, cwd: folder } } });
    await hub.ready({ timeoutMs: 30_000 });

    expect(hub.status()).toMatchObject([{ name: 'own', status: 'connected' }]);
    expect(hub.tools().map(({ name }) => name)).toEqual(['mcp__own__hello', 'mcp__own__waits']);
    await hub.close();
  });

  it('writes nothing but messages to its output, and aborts what runs when its input ends', async () => {
    const child = started();
    const output = text(child.stdout);
    let errors = '';
    const printed = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk) => {
        errors += String(chunk);
        if (errors.includes('and once more')) resolve();
      });
    });
    child.stdin.write(lineOf(INITIALIZE) + call(1, 'hello') + call(2, 'waits'));
    child.stdin.write(lineOf({ jsonrpc: '2.0', id: 3, method: 'ping' }));
    const exit = once(child, 'exit');
    await printed;
    child.stdin.end();

    expect(await exit).toEqual([0, null]);
    const ids = (await output)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids)).toEqual(new Set([0, 1, 3]));
    expect(ids).toHaveLength(3);
    expect(errors).toMatch(/printed while it was loaded[^]*printed by a tool[^]*was aborted/);
  });

  it('ends by a signal', async () => {
    const child = started();
    child.stdin.write(lineOf(INITIALIZE));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');

    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
