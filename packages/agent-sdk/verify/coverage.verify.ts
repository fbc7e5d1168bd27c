// Runs every test with coverage, on the newest Node that is supported, and must reach the thresholds of vitest.config.ts. Control: a single test file must not reach them.
// alone: its tests take both cores
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { IS_WHOLE } from '../../session/verify/support/tally.ts';
import { NEWEST, nodeOf } from './support/node-of.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const node = nodeOf(NEWEST);
/** Run programs of their own and cover nothing here; with `--whole` they run on the newest Node too. */
const PROGRAMS = ['packages/agent-sdk/test/examples.test.ts', 'packages/agent-sdk/test/readme.test.ts', 'scripts/**'];
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

function withCoverage(leftOut: readonly string[], ...files: readonly string[]): { passed: boolean; output: string } {
  const arguments_ = [vitest, 'run', '--coverage', ...files];
  const PATH = [dirname(node), process.env['PATH']].join(delimiter);
  const { status, stdout, stderr } = spawnSync(node, arguments_, {
    cwd: root,
    env: { ...process.env, PATH, TESTS_LEFT_OUT: leftOut.join(',') },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { passed: status === 0, output: stdout + stderr };
}

const control = withCoverage([], 'packages/errors/src/errors.test.ts');
const isNoticed = !control.passed && control.output.includes('does not meet global threshold');
console.log(
  isNoticed ? 'ok   one test file alone is refused' : `FAIL one test file alone is not refused\n${control.output}`,
);

const all = withCoverage(IS_WHOLE ? [] : PROGRAMS);
console.log(all.passed ? all.output.slice(all.output.indexOf('Coverage summary')) : all.output);
process.exitCode = isNoticed && all.passed ? 0 : 1;
