// needs: mount unshare
// ZC12: Checkpoints whose disk is full: what a call has done still arrives, the problem is told, no later look is spoiled, and what was changed
// meanwhile is a conflict for a rewind; a rewind that cannot be recorded changes nothing.
// Needs root: where there is none it says so, and fails under CI.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withOwnMounts } from '../../session/verify/support/own-mounts.ts';
import { Tally } from '../../session/verify/support/tally.ts';
import { createCheckpointer } from '../src/index.ts';

const home = await withOwnMounts(fileURLToPath(import.meta.url), 'checkpoint-faults');
if (home !== undefined) {
  const tally = new Tally();
  for (const size of [600, 1000, 2000])
    tally.check(`full disk of ${size} kB`, await fullDisk(join(home, `disk-${size}`), size));
  tally.end();
  process.exit(); // standard input keeps it alive
}

async function fullDisk(place: string, kilobytes: number): Promise<string[]> {
  const [root, disk] = [join(place, 'root'), join(place, 'disk')];
  for (const directory of [root, disk]) mkdirSync(directory, { recursive: true });
  const mount = (options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
  mount(`size=${kilobytes}k`);
  const faults: string[] = [];
  const expect = (isSo: boolean, what: string) => void (isSo || faults.push(what));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), `${name} as it was`);
  const problems: unknown[] = [];
  const onProblem = (error: unknown) => void problems.push(error);
  const checkpointer = await createCheckpointer({ cwd: root, file: join(disk, 'kept'), onProblem });
  await checkpointer.checkpoint('m');
  await checkpointer.around(async () => writeFileSync(join(root, 'a'), 'by a call'));

  const large = randomBytes(kilobytes * 1024);
  const value = await checkpointer.around(async () => {
    writeFileSync(join(root, 'large'), large);
    writeFileSync(join(root, 'b'), 'by a call, unseen');
    return 'its result';
  });
  expect(value === 'its result', 'the result did not arrive');
  expect(problems.length > 0 && /full/.test(String(problems[0])), `the problem was told as ${String(problems[0])}`);
  const blocked = await checkpointer.rewind('m');
  expect(
    !blocked.success && readFileSync(join(root, 'a'), 'utf8') === 'by a call',
    'a rewind went on without a record',
  );

  execFileSync('mount', ['-o', `remount,size=${kilobytes * 20}k`, disk]);
  await checkpointer.around(async () => writeFileSync(join(root, 'c'), 'by a call'));
  const { restoredFiles, conflicts } = await checkpointer.rewind('m');
  const named = (names: string[]) => names.map((name) => join(root, name)).join();
  expect(restoredFiles.toSorted().join() === named(['a', 'c']), `restored ${restoredFiles.join()}`);
  expect(conflicts.toSorted().join() === named(['b', 'large']), `conflicts ${conflicts.join()}`);
  await checkpointer.close();
  const again = await createCheckpointer({ cwd: root, file: join(disk, 'kept') });
  expect((await again.rewind('m', { force: true })).success, 'a fresh process does not rewind');
  expect(readFileSync(join(root, 'b'), 'utf8') === 'b as it was', 'force did not restore');
  await again.close();
  return faults;
}
