// needs: bwrap python3 git gcc
// Tries to get out of a sandbox in more than 60 ways: files, links, git, the network, the kernel, processes. Then ordinary work has to
// succeed in it, and nothing of the host may have changed: not a byte beside the sandbox, no process, no placeholder, no process group.
// As root all of it is run once more as an ordinary user. The control, the same attempts without a wall, must escape.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const trial = join(root, 'packages/sandbox/verify/support/hostile-trial.ts');
const isRoot = process.getuid?.() === 0;
/** The place for temporary files may be closed to other users. */
const open = isRoot ? '/tmp' : tmpdir();

const faults = [run(isRoot ? 'root' : 'this user', [], root)];
if (isRoot) faults.push(asOrdinaryUser());
const failed = faults.filter(Boolean).length;
console.log(failed === 0 ? 'Nothing has escaped.' : `${failed} of ${faults.length} users have found a way out`);
process.exitCode = failed === 0 ? 0 : 1;

/** Node and the sources may be where only root can read: what is needed of them is copied. */
function asOrdinaryUser(): boolean {
  const copy = mkdtempSync(join(open, 'hostile-sources-'));
  try {
    for (const name of ['sandbox', 'core', 'errors', 'command-line', 'json-schema']) {
      const from = join(root, 'packages', name);
      cpSync(from, join(copy, 'packages', name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !path.includes('/dist'),
      });
    }
    cpSync(join(root, 'node_modules', '.pnpm'), join(copy, 'node_modules', '.pnpm'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isHeavy(relative(join(root, 'node_modules', '.pnpm'), path)),
    });
    cpSync(process.execPath, join(copy, 'node'));
    chmodSync(copy, 0o755);
    return run(
      'an ordinary user',
      ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'],
      copy,
      join(copy, 'node'),
    );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Packages that the sandbox does not load. */
function isHeavy(path: string): boolean {
  const [name = ''] = path.split('/');
  return name !== '' && !/^(unbash|undici|ajv|re2js|fast-|json-schema|require-from|@standard-schema)/.test(name);
}

function run(user: string, prefix: readonly string[], from: string, program = process.execPath): boolean {
  console.log(`\nAs ${user}:`);
  const place = mkdtempSync(join(open, 'hostile-'));
  chmodSync(place, 0o777);
  const node = [program, '--conditions=@x/source', '--no-warnings', join(from, relative(root, trial)), place];
  const [first = '', ...values] = [...prefix, ...node];
  const { status } = spawnSync(first, values, {
    stdio: 'inherit',
    env: { ...process.env, HOME: join(place, 'home'), TMPDIR: place, AGENT_HOSTILE_KEY: 'hostile-key-4711' },
  });
  rmSync(place, { recursive: true, force: true });
  return status !== 0;
}
