// The packages that are published, and their tarballs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eachOf, run } from './steps.mjs';

/** Every package under packages/ that is not private. */
export function publishedPackages(root) {
  return readdirSync(join(root, 'packages'))
    .toSorted()
    .map((folder) => join(root, 'packages', folder))
    .filter((path) => existsSync(join(path, 'package.json')))
    .map((path) => ({ path, manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => !manifest.private)
    .map(({ path, manifest }) => ({ name: manifest.name, path, manifest }));
}

/** Packs the packages as they would be published. Returns the tarball of each by its name. */
export async function packAll(packages, destination) {
  const tarballs = new Map();
  await eachOf(packages, 2, async ({ name, path, manifest }) => {
    await run('pnpm', ['pack', '--pack-destination', destination], { cwd: path });
    tarballs.set(name, join(destination, `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`));
  });
  return tarballs;
}
