// Writes the exported names of every package to packages/<name>/etc/exports.json, and what each error code says to
// packages/agent-sdk/etc/error-codes.json; the architecture test compares both.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMeanings, textOf } from '../packages/agent-sdk/src/architecture/error-codes.ts';
import { exportedNames } from '../packages/agent-sdk/src/architecture/exported-names.ts';
import { readSources } from '../packages/agent-sdk/src/architecture/read-sources.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const sources = readSources(root);

const codes = errorMeanings(sources).map(textOf);
writeFileSync(join(root, 'packages', 'agent-sdk', 'etc', 'error-codes.json'), `${JSON.stringify(codes, null, 2)}\n`);
console.log(`packages/agent-sdk: ${codes.length} error codes`);

for (const [folder, names] of exportedNames(sources)) {
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
