/** One start of a session with MCP servers, in a process of its own: node start.mjs <kind> <origin of the model server> <ms until its first word> */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSession, memoryStore } from '@x/agent-sdk';
import { libraryFile } from '../paths.mjs';

const [, , kind, origin, serviceMs = '0'] = process.argv;
const node = (script) => ({ command: process.execPath, args: ['-e', script] });
const ENDED = [
  { command: '/no/such/program' },
  node('console.error("no key"); process.exit(3)'),
  { type: 'http', url: 'http://127.0.0.1:9/mcp' },
];
const named = (count, make) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`server${index}`, make(index)]));

const { mcpServers, stop } = await serversOf(kind);
if (kind === 'known' || kind === 'again') await oneStart({ mcpStartWait: 60_000 });
const result = await oneStart({});
stop();
process.stdout.write(`\n@@${JSON.stringify(result)}\n`, () => process.exit(0));

async function serversOf(which) {
  const stop = () => undefined;
  if (which === 'none' || which === 'again') return { stop };
  if (which === 'ended') return { mcpServers: named(10, (index) => ENDED[index % ENDED.length]), stop };
  if (which === 'hang') return { mcpServers: named(10, () => node('setInterval(() => undefined, 1000)')), stop };
  const child = spawn(process.execPath, [libraryFile('mcp/servers.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const url = (index) => `http://127.0.0.1:${Number(port)}/${index}`;
  return { mcpServers: named(40, (index) => ({ type: 'http', url: url(index) })), stop: () => child.kill() };
}

/** From `createSession` to the first word. */
async function oneStart(options) {
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  const since = () => performance.now() - startMs;
  const provider = { type: 'openai-compatible', apiKey: 'x', baseUrl: `${origin}/v1` };
  const servers = mcpServers ? { mcpServers } : {};
  let firstCallMs;
  const clock = {
    name: 'clock',
    async *wrapModelCall(request, next) {
      firstCallMs ??= since();
      if (Number(serviceMs) > 0) await sleep(Number(serviceMs));
      return yield* next(request);
    },
  };
  const usual = { provider, model: 'text-20', store: memoryStore(), handlers: [clock] };
  const session = await createSession({ ...usual, ...servers, ...options });
  const status = () => session.mcpServerStatus();
  let first;
  await session.send('Start.');
  for await (const event of session.stream()) {
    if (event.type === 'error') throw new Error(event.message);
    if (event.type === 'content') first ??= await figures();
  }
  await session.close();
  return first;

  async function figures() {
    const [firstWordMs, { user, system }, all] = [since(), process.cpuUsage(cpu), await status()];
    const tools = all.reduce((sum, { toolCount }) => sum + toolCount, 0);
    const said = all.map((one) => `${one.status}: ${(one.error ?? 'no answer yet').replace(/server\d+/, 'server')}`);
    return { firstCallMs, firstWordMs, cpuMs: (user + system) / 1000, tools, said };
  }
}
