// The built entry points export exactly the pinned names: what the sources promise is what a consumer gets.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run, StepError } from './steps.mjs';

/** @throws StepError */
export async function checkBuiltExports(packages) {
  const faults = [];
  for (const { name, path, manifest } of packages) {
    const file = join(path, 'etc', 'exports.json');
    const pinned = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    for (const [subPath, target] of Object.entries(manifest.exports ?? {})) {
      if (typeof target === 'string') continue;
      const built = await builtNames(join(path, target.default));
      faults.push(...differences(`${name} ${subPath}`, pinned[subPath] ?? [], built));
    }
  }
  if (faults.length > 0) {
    throw new StepError(
      'built exports differ from etc/exports.json; if meant: node scripts/update-exports.mjs',
      faults.join('\n'),
    );
  }
}

/** Types leave no trace in the built file, so only values are compared. */
export function differences(entry, pinned, built) {
  const values = pinned.filter((name) => !name.startsWith('type '));
  const missing = values
    .filter((name) => !built.includes(name))
    .map((name) => `${entry}: ${name} is pinned but not built`);
  return [
    ...missing,
    ...built.filter((name) => !values.includes(name)).map((name) => `${entry}: ${name} is built but not pinned`),
  ];
}

/** Read in a process of its own, so that no module of ours stays loaded. */
async function builtNames(file) {
  const program = `import(${JSON.stringify(pathToFileURL(file).href)}).then((m) => console.log(JSON.stringify(Object.keys(m))))`;
  const output = await run(process.execPath, ['--no-warnings', '--input-type=module', '-e', program]);
  return JSON.parse(output.trim().split('\n').at(-1));
}
