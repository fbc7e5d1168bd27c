import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Workspace } from '@x/core';
import { hostWorkspace } from '@x/sandbox';
import fc from 'fast-check';
import type { Checkpointer } from '../src/index.ts';

const KINDS = ['write', 'append', 'remove', 'move', 'mode', 'link', 'directory', 'shell', 'Write', 'Edit'] as const;

/** One thing that anybody may do to a directory. */
export interface Deed {
  readonly kind: (typeof KINDS)[number];
  readonly path: string;
  readonly other: string;
  readonly text: string;
}

const paths = fc.constantFrom('a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'f', 'f/g');

export const deeds: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(...KINDS, 'shell', 'Edit'),
  path: paths,
  other: paths,
  text: fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom('', '1', '2', 'one\ntwo\n', '\0\u00ff', 'longer', 'back', 'away') },
    { weight: 1, arbitrary: fc.constant('many') },
  ),
});

/** Git without the settings of whoever runs this; `commit` begins a repository where there is none. */
const GIT = `export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \\
  GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; commit() { [ -d .git ] || git init -q; git add -A; git commit -qm 1; }`;

/** Lines of a shell, chosen by the text. */
const LINES: Readonly<Record<string, string>> = {
  '': 'touch -r "$2" "$1"',
  '1': 'sed -i s/o/0/ "$1"',
  '2': 'cp -p "$1" "$2"',
  'one\ntwo\n': 'ln -sfn "$2" "$1"',
  '\0\u00ff': 'mv -f "$1" "$2"; [ -d "$2" ] || chmod 640 "$2"', // a directory that its owner cannot enter has no picture
  back: `${GIT}; if [ -d .git ]; then git checkout -q HEAD -- .; else commit; fi`,
  away: `${GIT}; commit; echo more >> "$1"; git stash -qu`,
  many: 'mkdir -p n/{1..20}/lib; for i in {1..2000}; do echo $i > n/$((i % 20 + 1))/lib/$i; done; chmod 755 n/1/lib/*',
  longer: 'mkdir -p p/{1..5}; for i in {1..100}; do echo $i > p/$((i % 5 + 1))/$i; done',
};

/** Does a Write or an Edit through the doors of a workspace. */
export type Editing = (doors: Workspace, deed: Deed) => Promise<void>;

/** Write and Edit without their texts. */
const throughDoors: Editing = async (doors, { kind, path, other, text }) => {
  const found = kind === 'Edit' ? Buffer.from(await doors.readFile(path)).toString('latin1') : '';
  const content = kind === 'Edit' ? found.replaceAll('o', other) : text;
  await doors.writeFile(path, Buffer.from(content, 'latin1'));
};

/** Does it as a call. */
export async function call(checkpointer: Checkpointer, root: string, deed: Deed, edit = throughDoors): Promise<void> {
  if (deed.kind !== 'Write' && deed.kind !== 'Edit') return await checkpointer.around(async () => act(root, deed));
  const doors = checkpointer.watch(hostWorkspace({ cwd: root }), crypto.randomUUID());
  await edit(doors, deed).catch(() => undefined); // not possible here
}

/** Does it where that is possible, and nothing where it is not. */
export function act(root: string, { kind, path, other, text }: Deed): void {
  const [at, to] = [join(root, path), join(root, other)];
  try {
    if (kind === 'shell')
      execFileSync('/bin/bash', ['-c', LINES[text]!, 'bash', path, other], { cwd: root, stdio: 'ignore' });
    else if (kind === 'remove') rmSync(at, { recursive: true, force: true });
    else if (kind === 'mode') {
      if (!lstatSync(at).isSymbolicLink()) chmodSync(at, 0o700 + text.length);
    } else {
      mkdirSync(dirname(kind === 'move' ? to : at), { recursive: true });
      if (kind === 'directory') mkdirSync(at);
      else if (kind === 'link') symlinkSync(other, at);
      else if (kind === 'move') renameSync(at, to);
      else if (!existsSync(at) || !lstatSync(at).isSymbolicLink())
        writeFileSync(at, text, { flag: kind === 'append' ? 'a' : 'w' });
    }
  } catch {
    // not possible here
  }
}
