import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceText } from './source-text.ts';

/** All sources under `packages/<name>/src`, each package's manifest and its pinned names. */
export function readSources(root: string): readonly SourceText[] {
  const folders = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  );
  return folders.toSorted().flatMap((name) => {
    const folder = `packages/${name}`;
    const alone = [`${folder}/package.json`, `${folder}/etc/exports.json`].filter((path) =>
      existsSync(join(root, path)),
    );
    return [...alone, ...sourcesBelow(root, `${folder}/src`)].map((path) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
    }));
  });
}

function sourcesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted();
}
