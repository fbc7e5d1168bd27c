// The OpenAPI document, with and without tokens, before a public linter; one with a fault must not pass.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Tally } from '../../session/verify/support/tally.ts';
import { documentOf } from '../test/support/contract.ts';
import { ANN, hosted } from '../test/support/hosted.ts';
import { served } from '../test/support/served.ts';

const linter = join(dirname(fileURLToPath(import.meta.resolve('@redocly/cli/package.json'))), 'bin/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
const tally = new Tally();
/** The redirects: they have no answer of their own with 2XX, which is what they are for. */
const BASELINE = ['~1tools/get', '~1tools~1call/post'].map(
  (place) => `operation-2xx-response at #/paths/${place}/responses`,
);
const authorization = 'Bearer secret';

const open = await documentOf(await served());
const guarded = await documentOf(await served({ token: 'secret', rateLimit: { max: 9, timeWindow: 9 } }), {
  authorization,
});
const host = await hosted();
tally.check('the document of a server with sessions', await faultsBeyondBaseline(await documentOf(host.server, ANN)));
await host.server.close();
tally.check('the document', await faultsBeyondBaseline(open));
tally.check('the document of a server with tokens and a rate limit', await faultsBeyondBaseline(guarded));
const wrong = { ...open, paths: { ...open.paths, '/v1/tools': { get: { responses: { 200: {} } } } } };
tally.check(
  'negative control: an answer without a description',
  (await faultsBeyondBaseline(wrong)).length > 0 ? [] : ['passes'],
);
rmSync(folder, { recursive: true });
tally.end();

/** Faults that are not in the baseline, and lines of the baseline that are no faults. */
async function faultsBeyondBaseline(document: object): Promise<string[]> {
  const faults = await faultsOf(document);
  const isKnown = (fault: string) => BASELINE.some((line) => fault.startsWith(`${line}:`));
  const unused = BASELINE.filter((line) => !faults.some((fault) => fault.startsWith(`${line}:`)));
  return [
    ...faults.filter((fault) => !isKnown(fault)),
    ...unused.map((line) => `${line} passes: take it off the list`),
  ];
}

/** Runs the linter with its `recommended` rules; warnings are faults too. */
async function faultsOf(document: object): Promise<string[]> {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const args = [linter, 'lint', file, '--extends=recommended', '--format=json', '--max-problems=20'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env,
    maxBuffer: 10_000_000,
  }).catch((failed) => failed);
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
  };
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}
