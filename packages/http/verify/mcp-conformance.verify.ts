// The server scenarios of the protocol's own conformance suite, against a registry over HTTP; what is not served stands below, with its reason.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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
const AT_ONCE = 3;
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const folder = mkdtempSync(join(tmpdir(), 'conformance-results-'));
const run = promisify(execFile);
const tally = new Tally();

const port = await freePort();
const server = await serve({
  port,
  registry: conformanceTools(),
  allowedOrigins: [`http://localhost:${port}`], // one scenario sends it, as a page of this server would
  mcp: true,
  logLevel: 'fatal',
});
const { stdout } = await run(process.execPath, [suite, 'list']);
const [, after = ''] = stdout.split('Server scenarios');
const [list = ''] = after.split('Client scenarios');
const scenarios = [...list.matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name!); // the group is in every match
tally.check('scenarios are found', scenarios.length >= 32 ? [] : [`only ${scenarios.length}`]);
const waiting = [...scenarios];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const faults = await faultsOf(name, '/mcp');
      const reason = BASELINE[name];
      if (reason === undefined) tally.check(name, faults);
      else tally.check(`${name} (${reason})`, faults.length > 0 ? [] : ['passes: take it off the list']);
    }
  }),
);
const nowhere = await faultsOf('ping', '/nowhere');
tally.check('negative control: a path that answers nothing', nowhere.length > 0 ? [] : ['passes']);
await server.close();
rmSync(folder, { recursive: true });
tally.end();

async function faultsOf(scenario: string, path: string): Promise<string[]> {
  const url = `http://localhost:${port}${path}`;
  const args = [suite, 'server', '--url', url, '--scenario', scenario, '-o', folder];
  try {
    const done = await run(process.execPath, args);
    return /Passed: [1-9]/.test(`${done.stdout}\n${done.stderr}`) ? [] : ['nothing was checked'];
  } catch (error) {
    const { stderr = '', stdout: out = '' } = error as { readonly stderr?: string; readonly stdout?: string }; // of `execFile`
    return `${out}\n${stderr}`
      .split('\n')
      .filter((line) => /FAILURE|Error|Failed|WARNING/.test(line))
      .concat('failed');
  }
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port: free } = holder.address() as AddressInfo; // it listens on a port
  holder.close();
  await once(holder, 'close');
  return free;
}
