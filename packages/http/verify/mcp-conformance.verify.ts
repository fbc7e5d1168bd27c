// The server scenarios of the protocol's own conformance suite, against a registry with resources and prompts over HTTP and against the
// example server of the official SDK: no check fails here that passes there. What is not served stands below, with its reason. The example
// has none of the tools that scenarios of content ask for, so those compare nothing.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Tally } from '../../session/verify/support/tally.ts';
import { serve } from '../src/index.ts';
import { conformancePrompts, conformanceResources } from './support/conformance-documents.ts';
import { conformanceTools } from './support/conformance-tools.ts';

const ASKS = 'tools of a registry ask their client nothing';
const FIXED = 'resources have fixed addresses, and are read again rather than followed';
/** Scenarios that are not expected to pass. One that passes is a fault of this list. */
const BASELINE: Readonly<Record<string, string>> = {
  'completion-complete': 'arguments of prompts are not completed',
  'tools-call-sampling': ASKS,
  'tools-call-elicitation': ASKS,
  'elicitation-sep1034-defaults': ASKS,
  'elicitation-sep1330-enums': ASKS,
  'server-sse-polling': 'answers are not resumed, so none is cut off on purpose; the suite then checks nothing',
  'resources-templates-read': FIXED,
  'resources-subscribe': FIXED,
  'resources-unsubscribe': FIXED,
};
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const example = import.meta.resolve('@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js');
const run = promisify(execFile);
const tally = new Tally();

interface Check {
  readonly id: string;
  readonly status: string;
}
/** The checks of each scenario. */
type Results = ReadonlyMap<string, readonly Check[]>;

const ours = await resultsOfOurs();
const theirs = await resultsOfExample();
tally.check('scenarios are found', ours.size >= 32 ? [] : [`only ${ours.size}`]);
for (const [name, checks] of ours) {
  const reason = BASELINE[name];
  if (reason === undefined) tally.check(name, faultsOf(checks));
  else tally.check(`${name} (${reason})`, faultsOf(checks).length > 0 ? [] : ['passes: take it off the list']);
}
// JSON in place of a stream is an INFO, and no fault.
const [here, there] = [idsOf(ours, ['SUCCESS', 'INFO']), idsOf(theirs, ['SUCCESS'])];
tally.check(
  'no check fails that passes for the example',
  there.filter((id) => !here.includes(id)),
);
const alone = idsOf(ours, ['SUCCESS']).filter((id) => !there.includes(id));
tally.check('negative control: the example fails for want of tools', alone.length > 0 ? [] : ['it passes all']);
console.log(
  `checks that pass: ${idsOf(ours, ['SUCCESS']).length} here, ${there.length} by the example, ${alone.length} here alone`,
);
tally.end();

async function resultsOfOurs(): Promise<Results> {
  const port = await freePort();
  const server = await serve({
    port,
    registry: conformanceTools(),
    allowedOrigins: [`http://localhost:${port}`], // one scenario sends it, as a page of this server would
    mcp: { resources: conformanceResources, prompts: conformancePrompts },
    logLevel: 'fatal',
  });
  const nowhere = await resultsAt(`http://localhost:${port}/nowhere`, ['--scenario', 'ping']);
  const isFailed = faultsOf(nowhere.get('ping') ?? []).length > 0;
  tally.check('negative control: a path that answers nothing', isFailed ? [] : ['passes']);
  const results = await resultsAt(`http://localhost:${port}/mcp`, ['--suite', 'all']);
  await server.close();
  return results;
}

async function resultsOfExample(): Promise<Results> {
  const port = await freePort();
  const env = { ...process.env, MCP_PORT: String(port) };
  const server = fork(fileURLToPath(example), { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(server.stdout!, 'data'); // it is piped; the server says so when it listens
  server.stdout!.resume();
  const results = await resultsAt(`http://localhost:${port}/mcp`, ['--suite', 'all']);
  server.kill();
  return results;
}

/** All scenarios in one process: most of a scenario's time would be a start. */
async function resultsAt(url: string, which: readonly string[]): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-results-'));
  // It fails when a scenario does, which the results say better.
  await run(process.execPath, [suite, 'server', '--url', url, ...which, '-o', folder]).catch(() => undefined);
  const results = readdirSync(folder).map((name) => {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[]; // of the suite
    return [name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, ''), checks] as const;
  });
  rmSync(folder, { recursive: true });
  return new Map(results);
}

function faultsOf(checks: readonly Check[]): string[] {
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ id }) => id);
  return checks.some(({ status }) => status === 'SUCCESS') ? failed : [...failed, 'nothing passed'];
}

/** Ids of checks that end so, and never fail. */
function idsOf(results: Results, statuses: readonly string[]): string[] {
  const all = [...results.values()].flat();
  const failed = new Set(all.filter(({ status }) => status === 'FAILURE').map(({ id }) => id));
  const ids = all.filter(({ id, status }) => statuses.includes(status) && !failed.has(id)).map(({ id }) => id);
  return [...new Set(ids)];
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port: free } = holder.address() as AddressInfo; // it listens on a port
  holder.close();
  await once(holder, 'close');
  return free;
}
