// Tools of MCP servers: two reference servers that work, one that is not there, and a tool whose text has changed since it was seen first.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSession, memoryStore } from '@x/agent-sdk';
import { createMcpHub } from '@x/agent-sdk/mcp';
import { serviceOr } from 'fake-provider';
import { scriptFor } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcp-tools-'));
writeFileSync(join(folder, 'prices.txt'), 'lamp 20\n');
const notes = join(folder, 'notes.jsonl');
const filesystem = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const memory = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
const servers = {
  files: { command: process.execPath, args: [filesystem, folder] },
  memory: { command: process.execPath, args: [memory], env: { MEMORY_FILE_PATH: notes } },
  missing: { command: 'no-such-program' },
};

const hub = createMcpHub({ servers });
await hub.ready({ timeoutMs: 30_000 });
for (const { name, status, toolCount, error } of hub.status()) {
  console.log(`${name.padEnd(8)} ${status}${error ? `: ${error}` : `, ${toolCount} tools`}`);
}

const { provider, model, stop } = await serviceOr(scriptFor(folder));
const tools = [...hub.tools()];
const session = await createSession({ provider, model, tools, store: memoryStore(), cwd: folder });
await session.send('What does a lamp cost? Remember it.');
for await (const event of session.stream()) {
  if (event.type === 'content') process.stdout.write(event.delta);
  if (event.type === 'tool_use') console.log(`\n● ${event.name}`);
  if (event.type === 'tool_result') console.log(`  ⎿ ${event.output.replace(/\s+/g, ' ').trim().slice(0, 60)}`);
  if (event.type === 'error') process.exitCode = 1;
}
console.log(`\n\nnotes: ${readFileSync(notes, 'utf8').trim()}`);
const pins = hub.pins();
await session.close();
await hub.close();

// Tomorrow: another hub begins with the pins of this one, but what was pinned of one tool is no longer what the server says.
const changed = pins.map((pin) => (pin.name === 'write_file' ? { ...pin, hash: 'what it was yesterday' } : pin));
const tomorrow = createMcpHub({ servers, pins: changed });
await tomorrow.ready({ timeoutMs: 30_000 });
const isOffered = () => tomorrow.tools().some(({ name }) => name === 'mcp__files__write_file');
for (const { problems = [] } of tomorrow.status()) for (const { message } of problems) console.log(message);
console.log(`write_file is offered: ${isOffered()}`);
tomorrow.approve('files', 'write_file');
console.log(`once it is approved: ${isOffered()}`);
await tomorrow.close();
await stop();
rmSync(folder, { recursive: true });
