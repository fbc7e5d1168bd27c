// Runs all tests, and the packed packages, on every version of Node that is supported and not the one that runs this. Control: an older one is refused.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const { nodePackage, usesMusl } = (await import(join(root, 'scripts', 'bootstrap', 'platform.mjs'))) as {
  nodePackage(machine: object): { readonly name?: string; readonly reason?: string };
  usesMusl(): boolean;
};
/** The oldest and the newest that is promised; what `npm test` runs on is left out. */
const VERSIONS = ['22.18.0', '24.11.0', '26.10.0'].filter(
  (one) => one.split('.')[0] !== process.versions.node.split('.')[0],
);
const TOO_OLD = '20.20.2';

const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
try {
  process.exitCode = main() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main(): boolean {
  const control = run(nodeOf(TOO_OLD), ['--input-type=module', '--eval', useOfBuilt()]);
  const isRefused = control.output.includes('UNSUPPORTED_NODE') && control.output.includes(TOO_OLD);
  report(`Node ${TOO_OLD} is refused by name`, isRefused, control.output);
  return VERSIONS.map(holdsOn).every(Boolean) && isRefused;
}

function holdsOn(version: string): boolean {
  const node = nodeOf(version);
  const tests = run(node, [join('node_modules', 'vitest', 'vitest.mjs'), 'run']);
  report(`all tests on Node ${version}`, tests.passed, tests.output);
  const packed = run(node, [join('scripts', 'install-test.mjs')]);
  report(`the packed packages on Node ${version}`, packed.passed, packed.output);
  return tests.passed && packed.passed;
}

/** The file of this version, brought by npm into a folder that is removed at the end. */
function nodeOf(version: string): string {
  const { name, reason } = nodePackage({ platform: process.platform, arch: process.arch, musl: usesMusl() });
  if (!name) throw new Error(reason);
  const target = join(folder, version);
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', target];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm has not brought Node ${version}: ${stderr}`);
  return join(target, 'node_modules', name, 'bin', 'node');
}

function useOfBuilt(): string {
  const entry = join(root, 'packages', 'agent-sdk', 'dist', 'index.js');
  return `const { createSession } = await import(${JSON.stringify(entry)});
    await createSession({ model: 'm', provider: { type: 'anthropic', apiKey: 'key' } }).catch((error) => console.log(error.code, error.message));`;
}

function run(node: string, values: readonly string[]): { readonly passed: boolean; readonly output: string } {
  const env = { ...process.env, PATH: [dirname(node), process.env['PATH']].join(delimiter) };
  const { status, stdout, stderr } = spawnSync(node, values, { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { passed: status === 0, output: stdout + stderr };
}

function report(what: string, holds: boolean, output: string): void {
  console.log(holds ? `ok   ${what}` : `FAIL ${what}\n${output.slice(-20_000)}`);
}
