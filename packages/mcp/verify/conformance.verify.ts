// M16: the client scenarios of the protocol's own conformance suite, against the hub; what is not passed stands below, with its reason.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Tally } from '../../session/verify/support/tally.ts';

/** Scenarios that are not expected to pass. One that passes is a fault of this list. */
const BASELINE: Readonly<Record<string, string>> = {
  'auth/cross-app-access-complete-flow':
    'an extension for identity providers of companies; the official SDK has no provider for it',
};
const AT_ONCE = 2;
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const client = fileURLToPath(new URL('./support/conformance-client.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'conformance-results-'));
const run = promisify(execFile);
const tally = new Tally();

const { stdout } = await run(process.execPath, [suite, 'list']);
const [, list = ''] = stdout.split('Client scenarios');
const scenarios = [...list.matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name!); // the group is in every match
tally.check('scenarios are found', scenarios.length > 20 ? [] : [`only ${scenarios.length}`]);
const waiting = [...scenarios];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const faults = await faultsOf(name, client);
      const reason = BASELINE[name];
      if (reason === undefined) tally.check(`M16 ${name}`, faults);
      else tally.check(`${name} (${reason})`, faults.length > 0 ? [] : ['passes: take it off the list']);
    }
  }),
);
const nobody = await faultsOf('initialize', '/dev/null');
tally.check('negative control: a client that does nothing', nobody.length > 0 ? [] : ['passes']);
rmSync(folder, { recursive: true });
tally.end();

async function faultsOf(scenario: string, program: string): Promise<string[]> {
  const command = `${process.execPath} --no-warnings --conditions=@x/source ${program}`;
  try {
    const done = await run(process.execPath, [
      suite,
      'client',
      '--scenario',
      scenario,
      '--command',
      command,
      '-o',
      folder,
    ]);
    return /Passed: [1-9]/.test(`${done.stdout}\n${done.stderr}`) ? [] : ['nothing was checked'];
  } catch (error) {
    const { stderr = '', stdout: out = '' } = error as { readonly stderr?: string; readonly stdout?: string }; // of `execFile`
    return `${out}\n${stderr}`
      .split('\n')
      .filter((line) => /FAILURE|Error|TIMED OUT|WARNING/.test(line))
      .concat('failed');
  }
}
