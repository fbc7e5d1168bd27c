// needs: mount unshare
// Checkpoints whose disk is full: what a call has done still arrives, the problem is told, no later look is spoiled, and what was changed
// meanwhile is a conflict for a rewind; a rewind that cannot be recorded changes nothing. And rewinds while another program swaps a
// directory for a link to a place outside: nothing outside may change. Control: writing by name must be caught.
// Needs root: where there is none it says so, and fails under CI. REWINDS=100
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withOwnMounts } from '../../session/verify/support/own-mounts.ts';
import { numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { createCheckpointer } from '../src/index.ts';

const REWINDS = numberFrom('REWINDS', 100);
const FILES = 20;

const home = await withOwnMounts(fileURLToPath(import.meta.url), 'checkpoint-faults');
if (home !== undefined) {
  const tally = new Tally();
  for (const size of [600, 1000, 2000])
    tally.check(`full disk of ${size} kB`, await fullDisk(join(home, `disk-${size}`), size));
  await swappedLinks(join(home, 'links'), tally);
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
  await using again = await createCheckpointer({ cwd: root, file: join(disk, 'kept') });
  expect((await again.rewind('m', { force: true })).success, 'a fresh process does not rewind');
  expect(readFileSync(join(root, 'b'), 'utf8') === 'b as it was', 'force did not restore');
  return faults;
}

async function swappedLinks(place: string, tally: Tally): Promise<void> {
  const [root, outside] = [join(place, 'root'), join(place, 'outside')];
  for (const directory of [join(root, 'd'), outside]) mkdirSync(directory, { recursive: true });
  const names = Array.from({ length: FILES }, (_, at) => `${at}`);
  const fill = (directory: string, text: string) => {
    for (const name of names) writeFileSync(join(directory, name), text);
  };
  fill(join(root, 'd'), 'old');
  fill(outside, 'outside');
  const escapes = () =>
    names.filter((name) => readFileSync(join(outside, name), 'utf8') !== 'outside').length +
    readdirSync(outside).length -
    FILES;
  const checkpointer = await createCheckpointer({ cwd: root, file: join(place, 'kept') });
  await checkpointer.checkpoint('m');
  await checkpointer.around(async () => fill(join(root, 'd'), 'new'));
  const flipper = spawn(process.execPath, [join(import.meta.dirname, 'support/link-flipper.ts'), root, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(flipper.stdout, 'data');
  let restored = 0;
  for (let at = 0; at < REWINDS; at++) {
    const { restoredFiles, rewindId } = await checkpointer.rewind('m', { force: true });
    restored += restoredFiles.length;
    if (rewindId !== undefined) restored += (await checkpointer.rewind(rewindId, { force: true })).restoredFiles.length;
  }
  const escaped = escapes();
  console.log(`${restored} files restored beside swapped links, ${escaped} outside changed`);
  tally.check('swapped links', escaped > 0 || restored === 0 ? [`${escaped} escaped, ${restored} restored`] : []);
  for (let until = performance.now() + 20_000; escapes() === 0 && performance.now() < until; await sleep(0)) {
    try {
      mkdirSync(join(root, 'd'), { recursive: true });
      fill(join(root, 'd'), 'by name');
    } catch {
      // the directory is away just now
    }
  }
  console.log(`control, writing by name: ${escapes()} outside changed, as they must`);
  tally.check('control', escapes() > 0 ? [] : ['nothing escaped']);
  flipper.kill('SIGKILL');
  await checkpointer.close();
}
