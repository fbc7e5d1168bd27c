// The reference servers of MCP from one session, over stdio and over streamable HTTP: each is listed, called, killed with -9 and called
// again; a call is cut off by an abort, and the session goes on. A server in Python is added where a Python with the package `mcp` is
// found (PYTHON, or python3), and named as left out elsewhere. Control: the tools of a server that nobody starts again do not answer.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedModel } from '@x/core/testing';
import { createSession, type ISession, memoryStore } from '../src/index.ts';
import { Tally } from './support/tally.ts';

const PATIENCE_MS = 60_000;
const LONG = 'trigger-long-running-operation';
const PYTHON_SERVER = `
try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer
server = MCPServer("python")

@server.tool()
def twice(number: int) -> int:
    """Doubles a number."""
    return number * 2

server.run()
`;

const tally = new Tally();
const folder = mkdtempSync(join(tmpdir(), 'reference-servers-'));
const resolve = createRequire(new URL('../../mcp/package.json', import.meta.url)).resolve;
const program = (name: string) => resolve(`@modelcontextprotocol/${name}/dist/index.js`);
const port = await freePort();
let web = startWeb();
const python = pythonWithMcp();
const marks = { stdio: 'stdio', files: 'files', notes: 'notes', python: 'python' };

const session = await openSession();
const calls: readonly (readonly [server: string, tool: string, input: object, answer: string])[] = [
  ['stdio', 'echo', { message: 'hi' }, 'Echo: hi'],
  ['web', 'echo', { message: 'hi' }, 'Echo: hi'],
  ['files', 'list_directory', { path: folder }, '[FILE]'],
  ['notes', 'read_graph', {}, 'entities'],
  ...(python ? [['python', 'twice', { number: 21 }, '42'] as const] : []),
];
if (!python) console.log('left out: a server in Python (no Python with the package mcp; set PYTHON)');
for (const [server, tool, input, answer] of calls) await oneServer(server, { tool, input, answer });
for (const server of ['stdio', 'web']) await cutOff(server);
await control();
await session.close();
tally.check(
  'processes left',
  Object.values(marks).flatMap((mark) => (pidOf(mark) === undefined ? [] : [mark])),
);
web.kill('SIGKILL');
rmSync(folder, { recursive: true });
tally.end();

async function openSession(): Promise<ISession> {
  writeFileSync(join(folder, 'a.txt'), 'A');
  writeFileSync(join(folder, 'server.py'), PYTHON_SERVER);
  const node = (name: string, args: readonly string[], mark: string, env: Record<string, string> = {}) => ({
    command: process.execPath,
    args: [program(name), ...args],
    env: { REFERENCE_MARK: `${mark}-${process.pid}`, ...env },
  });
  const model = scriptedModel(({ messages }) => {
    const asked = messages.findLast(({ role }) => role === 'user')!.content[0];
    const call = JSON.parse(asked?.type === 'text' ? asked.text : '{}') as { name: string; input: object };
    return messages.at(-1)!.role === 'user' ? { toolCalls: [call] } : { text: 'Done.' };
  });
  return await createSession({
    provider: { type: 'custom', createModel: () => model },
    model: 'm',
    store: memoryStore(),
    permissionMode: 'bypassPermissions',
    mcpStartWait: PATIENCE_MS,
    mcpServers: {
      stdio: node('server-everything', ['stdio'], marks.stdio),
      web: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
      files: node('server-filesystem', [folder], marks.files),
      notes: node('server-memory', [], marks.notes, { MEMORY_FILE_PATH: join(folder, 'notes.jsonl') }),
      ...(python
        ? {
            python: {
              command: python,
              args: [join(folder, 'server.py')],
              env: { REFERENCE_MARK: `${marks.python}-${process.pid}` },
            },
          }
        : {}),
    },
  });
}

interface Asked {
  readonly tool: string;
  readonly input: object;
  readonly answer: string;
}

async function oneServer(server: string, { tool, input, answer }: Asked): Promise<void> {
  const first = await ask(server, tool, input);
  const listed = (await session.mcpListTools()).some((one) => one.serverName === server && one.name === tool);
  tally.check(`${server}: listed`, listed ? [] : ['not listed']);
  tally.check(`${server}: called`, first.includes(answer) ? [] : [first]);
  await killed(server);
  const again = await until(async () => {
    const said = await ask(server, tool, input);
    return said.includes(answer) ? said : undefined;
  });
  tally.check(`${server}: called after kill -9`, again === undefined ? ['no answer'] : []);
  console.log(`${server}: listed, called, killed and called again`);
}

async function cutOff(server: string): Promise<void> {
  const name = `mcp__${server}__${LONG}`;
  await session.send(JSON.stringify({ name, input: { duration: 600, steps: 600 } }));
  const types: string[] = [];
  for await (const event of session.stream()) {
    types.push(event.type === 'result' ? event.subtype : event.type);
    if (event.type === 'tool_use') setTimeout(() => session.abort(), 300);
  }
  tally.check(`${server}: cut off`, types.includes('aborted') ? [] : types);
  const said = await ask(server, 'echo', { message: 'still here' });
  tally.check(`${server}: used after that`, said.includes('still here') ? [] : [said]);
}

/** Nobody starts the server again: its tools must not answer. */
async function control(): Promise<void> {
  web.kill('SIGKILL');
  await once(web, 'exit');
  const said = await ask('web', 'echo', { message: 'hi' }, 5_000);
  tally.check('control: a server that is gone is noticed', said.includes('Echo') ? [said] : []);
}

async function killed(server: string): Promise<void> {
  if (server !== 'web') {
    const pid = pidOf(marks[server as keyof typeof marks]);
    if (pid === undefined) return tally.check(`${server}: killed`, ['no process']);
    process.kill(pid, 'SIGKILL');
    return;
  }
  web.kill('SIGKILL');
  await once(web, 'exit');
  web = startWeb();
}

/** What one tool says, from a run of the session; within the time, or the run is aborted. */
async function ask(server: string, tool: string, input: object, withinMs = PATIENCE_MS): Promise<string> {
  await session.send(JSON.stringify({ name: `mcp__${server}__${tool}`, input }));
  const late = setTimeout(() => session.abort(), withinMs);
  let said = '';
  for await (const event of session.stream()) if (event.type === 'tool_result') said += event.output;
  clearTimeout(late);
  return said;
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  return undefined;
}

function startWeb(): ChildProcess {
  const env = { ...process.env, PORT: String(port) };
  return spawn(process.execPath, [program('server-everything'), 'streamableHttp'], { env, stdio: 'ignore' });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as { readonly port: number };
  await new Promise((done) => server.close(done));
  return free;
}

function pythonWithMcp(): string | undefined {
  const found = [process.env['PYTHON'], 'python3'].filter((one) => one !== undefined);
  return found.find((one) => spawnSync(one, ['-c', 'import mcp.server']).status === 0);
}

/** The number of a running server, from the table of processes. */
function pidOf(mark: string): number | undefined {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`REFERENCE_MARK=${mark}-${process.pid}`);
      } catch {
        return false; // it has just ended
      }
    });
}
