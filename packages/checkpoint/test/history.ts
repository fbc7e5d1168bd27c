import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** One thing that anybody may do to a directory. */
export interface Deed {
  readonly kind: 'write' | 'append' | 'remove' | 'move' | 'mode' | 'link' | 'directory';
  readonly path: string;
  readonly other: string;
  readonly text: string;
}

const paths = fc.constantFrom('a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'f', 'f/g');

export const deeds: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom('write', 'append', 'remove', 'move', 'mode', 'link', 'directory'),
  path: paths,
  other: paths,
  text: fc.constantFrom('', '1', '2', 'one\ntwo\n', '\0\u00ff', 'longer'),
});

/** Does it where that is possible, and nothing where it is not. */
export function act(root: string, { kind, path, other, text }: Deed): void {
  const [at, to] = [join(root, path), join(root, other)];
  try {
    if (kind === 'remove') rmSync(at, { recursive: true, force: true });
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
