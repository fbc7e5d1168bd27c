// The server scenarios of the protocol's own conformance suite, against a registry over HTTP and against the example server of the official
// SDK: no check fails here that passes there. What is not served stands below, with its reason. The example has none of the tools that
// scenarios of content ask for, so those compare nothing.
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
import { conformanceTools } from './support/conformance-tools.ts';

const ASKS = 'tools of a registry ask their client nothing';
const NO_RESOURCES = 'a registry has tools, no resources';
const NO_PROMPTS = 'a registry has tools, no prompts';
/** Scenarios that are not expected to pass. One that passes is a fault of this list. */
const BASELINE: Readonly<Record<string, string>> = {
  'logging-set-level': 'logs of tools are for the host; their progress is for the client',
  'tools-call-with-logging': 'the same',
  'completion-complete': 'completions are of prompts and resources',
  'tools-call-sampling': ASKS,
  'tools-call-elicitation': ASKS,
  'elicitation-sep1034-defaults': ASKS,
  'elicitation-sep1330-enums': ASKS,
  'server-sse-polling': 'answers are not resumed, so none is cut off on purpose; the suite then checks nothing',
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
};
/** Checks of that list that the example passes, since it has a resource, a prompt and a log. JSON in place of a stream is no fault. */
const PASSED_BY_EXAMPLE = ['logging-set-level', 'prompts-list', 'resources-list'];
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
const [here, there] = [idsOf(ours, ['SUCCESS', 'INFO']), idsOf(theirs, ['SUCCESS'])];
const missing = there.filter((id) => !here.includes(id)).toSorted();
const isAsListed = missing.join() === PASSED_BY_EXAMPLE.join();
tally.check('no other check fails that passes for the example', isAsListed ? [] : missing);
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
    mcp: true,
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
