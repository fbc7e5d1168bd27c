// Runs the packed packages on the oldest and the newest Node that are supported, and with `--whole` all tests on the oldest, as `.ci/run` runs
// `npm test`; on the newest the suite `coverage` runs them. Control: an older one is refused.
// alone: with --whole its tests take both cores
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { IS_WHOLE } from '../../session/verify/support/tally.ts';
import { NEWEST, nodeOf, OLDEST } from './support/node-of.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const TOO_OLD = '20.20.2';

process.exitCode = main() ? 0 : 1;

function main(): boolean {
  const built = run(process.execPath, [
    join('node_modules', 'turbo', 'bin', 'turbo'),
    'run',
    'build',
    '--filter=./packages/*',
  ]);
  if (!built.passed) throw new Error(`the packages cannot be built: ${built.output}`);
  const control = run(nodeOf(TOO_OLD), ['--input-type=module', '--eval', useOfBuilt()]);
  const isRefused = control.output.includes('UNSUPPORTED_NODE') && control.output.includes(TOO_OLD);
  report(`Node ${TOO_OLD} is refused by name`, isRefused, control.output);
  const [oldest, newest] = [nodeOf(OLDEST), nodeOf(NEWEST)];
  const tests = IS_WHOLE ? [run(oldest, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=dot'])] : [];
  for (const { passed, output } of tests) report(`all tests on Node ${OLDEST}`, passed, output);
  const packed = [oldest, newest].map((node) => run(node, [join('scripts', 'install-test.mjs')]));
  for (const { passed, output } of packed) report('the packed packages', passed, output);
  return isRefused && [...tests, ...packed].every(({ passed }) => passed);
}

function useOfBuilt(): string {
  const entry = join(root, 'packages', 'agent-sdk', 'dist', 'index.js');
  return `const { createSession } = await import(${JSON.stringify(entry)});
    await createSession({ model: 'm', provider: { type: 'anthropic', apiKey: 'key' } }).catch((error) => console.log(error.code, error.message));`;
}

function run(node: string, values: readonly string[]): { readonly passed: boolean; readonly output: string } {
  const env = { ...process.env, NO_COLOR: '1', PATH: [dirname(node), process.env['PATH']].join(delimiter) };
  const { status, stdout, stderr } = spawnSync(node, values, { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { passed: status === 0, output: stdout + stderr };
}

function report(what: string, holds: boolean, output: string): void {
  const failures = output.indexOf('Failed Tests'); // above it are a dot for each test and warnings
  console.log(
    holds ? `ok   ${what}` : `FAIL ${what}\n${output.slice(failures < 0 ? -8_000 : failures).slice(0, 8_000)}`,
  );
}
