// needs: strace
// ZC09: 50,000 files in node_modules are left out, named once as skipped, and cost nothing: strace counts the system calls that name the directory
// or anything in it, from the first look to a rewind. Control: the same files in a directory that is not left out, where each is looked at.
// IGNORED=50000
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amountFrom, Tally } from '../../session/verify/support/tally.ts';
import type { RewindResult } from '../src/index.ts';

const IGNORED = amountFrom('IGNORED', 50_000);
const A_PACKAGE = 500;
/** The first look, two around the call, one before the rewind and one after it: each describes the directory, and goes no further. */
const LOOKS = 5;
const CONTROL = 2_000;
const CALLS = 'openat,open,statx,newfstatat,lstat,stat,readlink,readlinkat';

const tally = new Tally();
const home = realpathSync(mkdtempSync(join(tmpdir(), 'checkpoint-ignored-')));
try {
  const { result, calls } = traced('node_modules', IGNORED);
  const skipped = result.skipped.map(({ filePath, reason }) => `${filePath}: ${reason}`);
  console.log(`${IGNORED} files in node_modules: ${calls.length} system calls name it, skipped ${skipped.join()}`);
  tally.check('skipped', skipped.join().endsWith('root/node_modules: node_modules/') ? [] : skipped);
  tally.check('rewound', result.success && result.restoredFiles.length === 1 ? [] : [JSON.stringify(result)]);
  tally.check('system calls', calls.length === LOOKS ? [] : [`${calls.length}, and ${LOOKS} are allowed`, ...calls]);
  const control = traced('modules', CONTROL);
  console.log(`control, ${CONTROL} files in modules: ${control.calls.length} system calls name it`);
  tally.check('control', control.calls.length > CONTROL * LOOKS ? [] : [`only ${control.calls.length}`]);
} finally {
  rmSync(home, { recursive: true });
}
tally.end();

/** A project with a directory full of packages: the result of a rewind there, and the system calls that have named that directory. */
function traced(name: string, files: number): { readonly result: RewindResult; readonly calls: string[] } {
  const [root, trace] = [join(home, name, 'root'), join(home, `${name}.trace`)];
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'a'), 'as it was');
  for (let at = 0; at < files; at++) {
    const folder = join(root, name, `package-${Math.floor(at / A_PACKAGE)}`);
    if (at % A_PACKAGE === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${at}.js`), `${at}`);
  }
  const program = join(import.meta.dirname, 'support/one-rewind.ts');
  const node = [process.execPath, '--conditions=@x/source', '--no-warnings', program, root, join(home, name, 'kept')];
  const { stdout, stderr, status } = spawnSync(
    'strace',
    ['-f', '--seccomp-bpf', '-s', '4096', '-o', trace, '-e', `trace=${CALLS}`, ...node],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`The program ended with ${status}: ${stderr}`);
  const calls = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`${root}/${name}`));
  return { result: JSON.parse(stdout) as RewindResult, calls }; // safe: of our program
}
