// needs: mkfs.xfs mount unshare setpriv
// The tests of the checkpoints, and with `--whole` those of sessions that use them, run by a user without root: permissions count. Needs root, to become
// another user: without it the tests are run as they are, by the ordinary user who runs this. Control: a file of root alone is refused.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withOwnMounts } from '../../session/verify/support/own-mounts.ts';
import { IS_WHOLE, Tally } from '../../session/verify/support/tally.ts';

/** The tests of sessions take twice as long: only in the whole. */
const TESTS = ['packages/checkpoint/', ...(IS_WHOLE ? ['packages/session/test/checkpoints/'] : [])];
const repository = join(import.meta.dirname, '..', '..', '..');

if (process.getuid?.() === 0) await asAnother();
else {
  const folder = mkdtempSync(join(tmpdir(), 'ordinary-user-'));
  run({ folder, prefix: [], node: process.execPath, root: repository, tally: new Tally() }).end();
  rmSync(folder, { recursive: true });
}

/** Node and the sources may be where only root can read: they are mounted where everybody can. */
async function asAnother(): Promise<void> {
  process.env['TMPDIR'] = '/tmp'; // the place for temporary files may be closed to other users
  const below = await withOwnMounts(fileURLToPath(import.meta.url), 'ordinary-user');
  if (below === undefined) return;
  chmodSync(below, 0o755);
  const shown = (name: string, from: string) => {
    const at = join(below, name);
    mkdirSync(at);
    mount(['--bind', from, at]);
    return at;
  };
  const root = shown('repository', repository);
  const node = join(shown('node', dirname(process.execPath)), basename(process.execPath));
  for (const name of ['.vite', '.vite-temp']) {
    const written = join(root, 'node_modules', name);
    mkdirSync(written, { recursive: true });
    mount(['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', written]);
  }
  const folder = join(below, 'home');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const prefix = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
  const tally = run({ folder, prefix, node, root, tally: new Tally() });
  const secret = join(below, 'secret');
  writeFileSync(secret, 'of root alone', { mode: 0o600 });
  const [command, ...values] = [...prefix, node, '-e', 'require("fs").readFileSync(process.argv[1])', secret];
  const { status, stderr } = spawnSync(command, values, { encoding: 'utf8' });
  const isRefused = status !== 0 && stderr.includes('EACCES');
  console.log(`control, a file of root alone: ${isRefused ? 'refused, as it must be' : 'was read'}`);
  tally.check('control', isRefused ? [] : ['the user is not an ordinary one']);
  tally.end();
  process.exit(); // the outer process still holds the input open
}

interface Running {
  /** For temporary files, writable. */
  readonly folder: string;
  /** The command that changes the user. */
  readonly prefix: readonly string[];
  readonly node: string;
  /** Of the sources. */
  readonly root: string;
  readonly tally: Tally;
}

function run({ folder, prefix, node, root, tally }: Running): Tally {
  const report = join(folder, 'report.json');
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...TESTS, '--typecheck=false'];
  const [command, ...values] = [...prefix, node, ...vitest, '--reporter=json', `--outputFile=${report}`];
  const { status, stdout, stderr } = spawnSync(command, values, {
    cwd: root,
    env: { ...process.env, HOME: folder, TMPDIR: folder, NODE_COMPILE_CACHE: join(folder, 'cache') },
    encoding: 'utf8',
  });
  if (status === null) tally.check('the tests', [`they did not end: ${stderr}`]);
  const { numPassedTests, numFailedTests, testResults } = resultIn(report);
  console.log(
    `as an ordinary user: ${numPassedTests} tests passed, ${numFailedTests} failed, of ${testResults.length} files`,
  );
  for (const { name, status: how, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    const faults = failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`);
    tally.check(name.slice(root.length + 1), how === 'passed' ? [] : [...faults, message]);
  }
  tally.check(
    'enough tests',
    numPassedTests > 100 ? [] : [`only ${numPassedTests}: ${stdout.slice(-300)} ${stderr.slice(-300)}`],
  );
  return tally;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function resultIn(report: string): Report {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Report; // safe: of vitest
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}

function mount(values: readonly string[]): void {
  const { status, stderr } = spawnSync('mount', values, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount ${values.join(' ')}: ${stderr}`);
}
