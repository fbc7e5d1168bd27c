import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** One thing that anybody may do to a directory. */
export interface Deed {
  readonly kind: 'write' | 'append' | 'remove' | 'move' | 'mode' | 'link' | 'directory' | 'shell';
  readonly path: string;
  readonly other: string;
  readonly text: string;
}

const paths = fc.constantFrom('a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'f', 'f/g');

export const deeds: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom('write', 'append', 'remove', 'move', 'mode', 'link', 'directory', 'shell'),
  path: paths,
  other: paths,
  text: fc.constantFrom('', '1', '2', 'one\ntwo\n', '\0\u00ff', 'longer'),
});

/** Lines of a shell, chosen by the text. */
const LINES: Readonly<Record<string, string>> = {
  '': 'touch -r "$2" "$1"',
  '1': 'sed -i s/o/0/ "$1"',
  '2': 'cp -p "$1" "$2"',
  'one\ntwo\n': 'ln -sfn "$2" "$1"',
  '\0\u00ff': 'mv -f "$1" "$2"; chmod 640 "$2"',
  longer: 'mkdir -p p/{1..5}; for i in {1..100}; do echo $i > p/$((i % 5 + 1))/$i; done',
};

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
