// needs: bwrap python3 git gcc socat rg
// Tries to get out of a sandbox in more than 60 ways: files, links, git, the network, the kernel, processes. Then ordinary work has to
// succeed in it, and nothing of the host may have changed: not a byte beside the sandbox, no process, no placeholder, no process group.
// As root all of it is run once more as an ordinary user, and by an ordinary user with the driver `sandbox-runtime`, which is known to let
// six of the system calls through. The control, the same attempts without a wall, must escape.
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

const faults = [run({ user: isRoot ? 'root' : 'this user', from: root, driver: 'bubblewrap' })];
faults.push(...(isRoot ? asOrdinaryUser() : [run({ user: 'this user', from: root, driver: 'sandbox-runtime' })]));
const failed = faults.filter(Boolean).length;
console.log(failed === 0 ? 'Nothing has escaped.' : `${failed} of ${faults.length} users have found a way out`);
process.exitCode = failed === 0 ? 0 : 1;

/** Node and the sources may be where only root can read: what is needed of them is copied. */
function asOrdinaryUser(): boolean[] {
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
    const prefix = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
    const as = { user: 'an ordinary user', prefix, from: copy, program: join(copy, 'node') };
    return ['bubblewrap', 'sandbox-runtime'].map((driver) => run({ ...as, driver }));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Packages that the sandbox does not load. */
function isHeavy(path: string): boolean {
  const [name = ''] = path.split('/');
  return (
    name !== '' &&
    !/^(unbash|undici|ajv|re2js|fast-|json-schema|require-from|@standard-schema|@anthropic-ai.sandbox|@pond|commander|node-forge|zod@)/.test(
      name,
    )
  );
}

interface Trial {
  readonly user: string;
  readonly driver: string;
  /** The root of the sources. */
  readonly from: string;
  /** The command that changes the user. */
  readonly prefix?: readonly string[];
  readonly program?: string;
}

function run({ user, driver, from, prefix = [], program = process.execPath }: Trial): boolean {
  console.log(`\nAs ${user}, with ${driver}:`);
  const place = mkdtempSync(join(open, 'hostile-'));
  chmodSync(place, 0o777);
  const node = [program, '--conditions=@x/source', '--no-warnings', join(from, relative(root, trial)), place, driver];
  const [first = '', ...values] = [...prefix, ...node];
  const { status } = spawnSync(first, values, {
    stdio: 'inherit',
    env: { ...process.env, HOME: join(place, 'home'), TMPDIR: place, AGENT_HOSTILE_KEY: 'hostile-key-4711' },
  });
  rmSync(place, { recursive: true, force: true });
  return status !== 0;
}
