import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSIDE = 'VERIFY_MOUNTS_BELOW';

/**
 * Runs the suite once more, in name spaces of its own for mounts and processes: when it ends, in whatever way, the kernel ends its
 * processes and takes its mounts and loop devices away. In that inner process returns a folder for them. In the outer one undefined,
 * with the exit code set: where nothing may be mounted this says so and passes, and fails where nothing may be skipped.
 */
export async function withOwnMounts(file: string, name: string): Promise<string | undefined> {
  const below = process.env[INSIDE];
  if (below !== undefined) {
    process.stdin.once('end', () => process.exit(1)).resume(); // the outer process is gone
    return below;
  }
  const reason = whyNot();
  if (reason !== undefined) {
    const strict = process.env['CI'] === 'true' || process.env['VERIFY_STRICT'] === '1';
    console.log(`${strict ? 'FAIL' : 'SKIPPED, NOTHING WAS TESTED'}: ${name}: ${reason}`);
    process.exitCode = strict ? 1 : 0;
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const node = [process.execPath, ...process.execArgv, file];
  const inner = spawn('unshare', [...NAMESPACES, ...node], {
    env: { ...process.env, [INSIDE]: folder },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  inner.stdin.on('error', () => undefined); // it has ended
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => inner.stdin.end());
  process.exitCode = await new Promise<number>((resolve, reject) => {
    inner.once('error', reject);
    inner.once('exit', (code) => resolve(code ?? 1));
  });
  await rm(folder, { recursive: true, force: true });
  return undefined;
}

const NAMESPACES: readonly string[] = [
  '--mount',
  '--propagation=private',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];

/** Why nothing can be mounted here; undefined when it can. */
function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'loop devices are needed, which only Linux has';
  if (process.getuid?.() !== 0) return 'it needs root, for mounts';
  const script = `
    set -e
    folder=$(mktemp -d)
    trap 'umount "$folder/at" 2>/dev/null; rm -rf "$folder"' EXIT
    mkdir "$folder/at"
    truncate -s 320M "$folder/image"
    mkfs.xfs -q -m reflink=1 "$folder/image"
    mount -o loop "$folder/image" "$folder/at"
    echo 1 > "$folder/at/one"
    cp --reflink=always "$folder/at/one" "$folder/at/two"`;
  const { status, stderr, error } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', script], { encoding: 'utf8' });
  return status === 0 ? undefined : `no XFS on a loop device: ${error?.message ?? stderr.trim()}`;
}
