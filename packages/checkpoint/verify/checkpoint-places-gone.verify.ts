// needs: mount umount unshare
// Checkpoints whose directory is unmounted, mounted over or read-only: a call's result arrives, a rewind says what is wrong and throws nothing,
// also with `force`, and nothing is written below the place that was mounted; with the file system back every message is as it was. The same
// for checkpoints that are opened after the unmounting; once a message was checkpointed there, the place is theirs.
// Control: checkpoints that have forgotten where the directory was write there with `force`.
// Needs root: where there is none it says so, and fails under CI.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { withOwnMounts } from '../../session/verify/support/own-mounts.ts';
import { Tally } from '../../session/verify/support/tally.ts';
import { type Checkpointer, createCheckpointer, type RewindOptions, type RewindResult } from '../src/index.ts';
import { picture } from '../test/picture.ts';
import { unlike } from './support/three-states.ts';

const FORCES: readonly RewindOptions[] = [{}, { force: true }, { dryRun: true, force: true }];

const home = await withOwnMounts(fileURLToPath(import.meta.url), 'checkpoint-places-gone');
if (home !== undefined) {
  const tally = new Tally();
  tally.check('unmounted', await away(join(home, 'unmounted'), { leave: 'umount', comeBack: 'move' }));
  tally.check('mounted over', await away(join(home, 'over'), { leave: 'over', comeBack: 'umount' }));
  tally.check('read-only', await readOnly(join(home, 'read-only')));
  tally.check('opened afterwards', await openedAfterwards(join(home, 'afterwards')));
  tally.check('theirs by a new message', await written(join(home, 'theirs'), 'new message'));
  tally.check('control', await written(join(home, 'control'), 'forget'));
  tally.end();
  process.exit(); // standard input keeps it alive
}

interface Laid {
  readonly place: string;
  readonly root: string;
  readonly checkpointer: Checkpointer;
  readonly before: Record<string, string>;
  readonly changed: Record<string, string>;
  readonly problems: unknown[];
}

/** A tmpfs in `root`, bound to `spare` too, with a message before the changes of a call; `root` itself is on the file system around. */
async function laid(place: string): Promise<Laid> {
  const [root, spare] = [join(place, 'root'), join(place, 'spare')];
  for (const directory of [root, spare]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(root, 'beneath'), 'of the file system beneath');
  mount('-t', 'tmpfs', 'tmpfs', root);
  mount('--bind', root, spare);
  mkdirSync(join(root, 'd'));
  for (const name of ['a', 'd/b']) writeFileSync(join(root, name), 'as it was');
  const before = picture(root);
  const problems: unknown[] = [];
  const onProblem = (error: unknown) => void problems.push(error);
  const checkpointer = await createCheckpointer({ cwd: root, file: join(place, 'kept'), onProblem });
  await checkpointer.checkpoint('m');
  await checkpointer.around(async () => {
    for (const name of ['a', 'd/b', 'made']) writeFileSync(join(root, name), 'by a call');
  });
  return { place, root, checkpointer, before, changed: picture(root), problems };
}

async function away(
  place: string,
  { leave, comeBack }: { leave: 'umount' | 'over'; comeBack: 'move' | 'umount' },
): Promise<string[]> {
  const { root, checkpointer, before, changed, problems } = await laid(place);
  const spare = join(place, 'spare');
  if (leave === 'umount') execFileSync('umount', [root]);
  else mount('-t', 'tmpfs', 'tmpfs', root);
  const beneath = picture(root);
  const faults: string[] = [];
  if ((await checkpointer.around(async () => 'its result')) !== 'its result') faults.push('no result arrived');
  if (problems.length === 0) faults.push('the problem was not told');
  for (const options of FORCES) faults.push(...refusalFaults(await checkpointer.rewind('m', options), options));
  if (!isDeepStrictEqual(picture(root), beneath)) faults.push('something was written to another file system');
  if (unlike(picture(spare), changed).length > 0) faults.push('the files that are away were changed');
  if (comeBack === 'umount') execFileSync('umount', [root]);
  else mount('--bind', spare, root);
  faults.push(...(await backFaults(checkpointer, root, before)));
  await checkpointer.close();
  return faults;
}

function refusalFaults({ success, errors, restoredFiles, deletedFiles }: RewindResult, options: object): string[] {
  const isRefused = !success && restoredFiles.length + deletedFiles.length === 0;
  const isTold = errors.length === 1 && errors[0]!.error.includes('another file system');
  return isRefused && isTold ? [] : [`with ${JSON.stringify(options)}: ${success}, ${JSON.stringify(errors)}`];
}

/** Changes found meanwhile are in doubt, so some may need `force`. */
async function backFaults(checkpointer: Checkpointer, root: string, before: Laid['before']): Promise<string[]> {
  const { errors } = await checkpointer.rewind('m', { force: true });
  return [
    ...errors.map(({ error }) => `back: ${error}`),
    ...unlike(picture(root), before).map((path) => `back: ${path}`),
  ];
}

async function readOnly(place: string): Promise<string[]> {
  const { root, checkpointer, before, changed } = await laid(place);
  const faults: string[] = [];
  mount('-o', 'remount,ro', root);
  for (const force of [false, true]) {
    const { success, errors, restoredFiles, deletedFiles } = await checkpointer.rewind('m', { force });
    const named = errors.map(({ filePath }) => filePath.slice(root.length + 1)).toSorted();
    if (success || restoredFiles.length + deletedFiles.length > 0) faults.push('told to be restored');
    if (named.join() !== 'a,d/b,made') faults.push(`errors for ${named.join()}`);
    if (!errors.every(({ error }) => /EROFS|read-only/.test(error)))
      faults.push(errors.map(({ error }) => error).join());
  }
  if (unlike(picture(root), changed).length > 0) faults.push('files were changed');
  mount('-o', 'remount,rw', root);
  faults.push(...(await backFaults(checkpointer, root, before)));
  await checkpointer.close();
  return faults;
}

async function openedAfterwards(place: string): Promise<string[]> {
  const { root, checkpointer, before } = await laid(place);
  await checkpointer.close();
  execFileSync('umount', [root]);
  const beneath = picture(root);
  const file = join(place, 'kept');
  const faults: string[] = [];
  const later = await createCheckpointer({ cwd: root, file });
  faults.push(...(await laterFaults(later)));
  if (!isDeepStrictEqual(picture(root), beneath)) faults.push('something was written beneath');
  await later.close();
  mount('--bind', join(place, 'spare'), root);
  const back = await createCheckpointer({ cwd: root, file });
  faults.push(...(await backFaults(back, root, before)));
  await back.close();
  return faults;
}

async function laterFaults(later: Checkpointer): Promise<string[]> {
  const plain = await later.rewind('m');
  const forced = [await later.rewind('m', { force: true }), await later.rewind('m', { dryRun: true, force: true })];
  const isTold = forced.every(({ success, errors }) => !success && errors[0]?.error.includes('another file system'));
  return [...(plain.success ? ['told as done'] : []), ...(isTold ? [] : [JSON.stringify(forced)])];
}

/** `forget`: without what is recorded of the place. Else a new message makes the place theirs. */
async function written(place: string, how: 'forget' | 'new message'): Promise<string[]> {
  const { root, checkpointer } = await laid(place);
  await checkpointer.close();
  execFileSync('umount', [root]);
  const beneath = picture(root);
  const file = join(place, 'kept');
  if (how === 'forget') forgetSite(file);
  const later = await createCheckpointer({ cwd: root, file });
  if (how === 'new message') await later.checkpoint('m2');
  await later.rewind('m', { force: true });
  const changed = unlike(picture(root), beneath);
  await later.close();
  console.log(`${how}, opened afterwards, with force: ${changed.join()} written beneath, as they must`);
  return changed.length > 0 ? [] : ['nothing was written'];
}

function forgetSite(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM facts WHERE name = 'site'");
  database.close();
}

function mount(...words: string[]): void {
  execFileSync('mount', words);
}
