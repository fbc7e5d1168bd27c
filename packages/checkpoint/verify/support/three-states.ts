import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createCheckpointer } from '../../src/index.ts';
import { picture } from '../../test/picture.ts';

export type Picture = Readonly<Record<string, string>>;

/** A directory with checkpoints, in a place of its own. */
export interface Laid {
  readonly root: string;
  readonly file: string;
  /** As it was at `m0`; one call has been at work since. */
  readonly first: Picture;
  /** As it was at `m`. */
  readonly second: Picture;
  /** As it is: after a second call, or like the second. */
  readonly present: Picture;
  /** Makes all of it as it was laid. */
  readonly again: () => void;
}

/** The contents change in the file system's own ways: bytes, modes, links, kinds, names. */
export async function layStates(folder: string, { isChanged }: { readonly isChanged: boolean }): Promise<Laid> {
  const [now, kept] = [join(folder, 'now'), join(folder, 'as-laid')];
  const [root, file] = [join(now, 'root'), join(now, 'kept')];
  mkdirSync(root, { recursive: true });
  begin(root);
  const checkpointer = await createCheckpointer({ cwd: root, file });
  const first = picture(root);
  await checkpointer.checkpoint('m0');
  await checkpointer.around(async () => changeOnce(root));
  const second = picture(root);
  if (isChanged) {
    await checkpointer.checkpoint('m');
    await checkpointer.around(async () => changeKinds(root));
  }
  const present = picture(root);
  await checkpointer.close();
  copy(now, kept);
  const again = () => {
    rmSync(now, { recursive: true, force: true });
    copy(kept, now);
  };
  return { root, file, first, second, present, again };
}

/** Whether a picture of paths is what it was; those that are not. What a killed write has left is not counted. */
export function unlike(one: Picture, other: Picture): string[] {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...paths].filter((path) => one[path] !== other[path] && !isTemporary(path));
}

/** An unfinished file of a door. */
export function isTemporary(path: string): boolean {
  return path.includes('.agent-sdk-tmp-');
}

/** Node's own copy sets no modes of directories. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

function begin(root: string): void {
  const at = (name: string) => join(root, name);
  for (const name of ['directory', 'swapped/in', 'hollow']) mkdirSync(at(name), { recursive: true });
  for (const name of ['a', 'directory/x', 'directory/y', 'gone', 'file-to-link', 'file-to-directory', 'swapped/in/z'])
    writeFileSync(at(name), `${name} as it was\n`);
  writeFileSync(at('bytes'), randomBytes(20_000));
  writeFileSync(at('run'), 'a program\n', { mode: 0o755 });
  symlinkSync('a', at('link'));
  symlinkSync('a', at('link-to-file'));
  chmodSync(at('directory'), 0o750);
}

function changeOnce(root: string): void {
  writeFileSync(join(root, 'a'), 'a after one call\n');
  writeFileSync(join(root, 'directory/x'), 'x after one call\n');
  writeFileSync(join(root, 'made'), 'made by one call\n');
}

/** What a call does. Every kind becomes every other one. */
export function changeKinds(root: string): void {
  const at = (name: string) => join(root, name);
  writeFileSync(at('a'), 'a after two calls\n');
  writeFileSync(at('bytes'), randomBytes(12_000));
  writeFileSync(at('run'), 'another program\n');
  chmodSync(at('run'), 0o640);
  for (const name of ['link', 'link-to-file', 'file-to-link', 'file-to-directory', 'gone', 'directory/y'])
    unlinkSync(at(name));
  symlinkSync('run', at('link'));
  writeFileSync(at('link-to-file'), 'no link any more\n');
  symlinkSync('bytes', at('file-to-link'));
  mkdirSync(at('file-to-directory'));
  writeFileSync(at('file-to-directory/inner'), 'inner\n');
  rmSync(at('swapped'), { recursive: true });
  writeFileSync(at('swapped'), 'no directory any more\n');
  mkdirSync(at('fresh/deep'), { recursive: true });
  writeFileSync(at('fresh/deep/file'), 'fresh\n');
  symlinkSync('deep', at('fresh/way'));
  if (existsSync(at('hollow'))) rmdirSync(at('hollow'));
  renameSync(at('made'), at('moved'));
  chmodSync(at('directory'), 0o700);
}
