import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceText } from './source-text.ts';

/** All sources under `packages/<name>/src`, each package's manifest and its pinned names. */
export function readSources(root: string): readonly SourceText[] {
  return packageFolders(root).flatMap((folder) => {
    const alone = [`${folder}/package.json`, `${folder}/etc/exports.json`].filter((path) =>
      existsSync(join(root, path)),
    );
    return read(root, [...alone, ...sourcesBelow(root, `${folder}/src`)]);
  });
}

/** Reads the files next to the sources: each package's `test` and `verify`. */
export function readBesides(root: string): readonly SourceText[] {
  return packageFolders(root).flatMap((folder) =>
    read(root, [...sourcesBelow(root, `${folder}/test`), ...sourcesBelow(root, `${folder}/verify`)]),
  );
}

function packageFolders(root: string): readonly string[] {
  const names = readdirSync(join(root, 'packages')).toSorted();
  return names.map((name) => `packages/${name}`).filter((folder) => existsSync(join(root, folder, 'package.json')));
}

function read(root: string, paths: readonly string[]): readonly SourceText[] {
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function sourcesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted();
}
