import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fc } from '@fast-check/vitest';

/** Directories of this host, all below one root: made when it is first needed, there until `close` removes it. */
export function hostTrees() {
  let made: string | undefined;
  const root = () => (made ??= mkdtempSync(join(tmpdir(), 'trees-')));

  /** A fresh directory below the root that holds the files. */
  function tree(files: Readonly<Record<string, string | Uint8Array>>): string {
    const directory = mkdtempSync(join(root(), 't-'));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    }
    return directory;
  }

  const close = () => {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  };
  return { tree, close };
}

/** Names of files and directories: hidden ones, ignored ones, and such as a shell would read as more than a name. */
export const fileNames: fc.Arbitrary<string> = fc.constantFrom(
  'a',
  'b',
  'a.log',
  '.hidden',
  'src',
  'x.ts',
  "it's",
  '-v',
  'b c',
  '$HOME',
);
