// Writes the exported names of every package to packages/<name>/etc/exports.json, which the architecture test compares.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportedNames } from '../packages/agent-sdk/src/architecture/exported-names.ts';
import { readSources } from '../packages/agent-sdk/src/architecture/read-sources.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

for (const [folder, names] of exportedNames(readSources(root))) {
  const missing = Object.values(names)
    .flat()
    .filter((name) => name.startsWith('missing '));
  if (missing.length > 0) {
    console.log(`${folder}: left as it is, ${missing.join(', ')}`);
    continue;
  }
  mkdirSync(join(root, folder, 'etc'), { recursive: true });
  writeFileSync(join(root, folder, 'etc', 'exports.json'), `${JSON.stringify(names, null, 2)}\n`);
  console.log(`${folder}: ${Object.values(names).flat().length} names`);
}
