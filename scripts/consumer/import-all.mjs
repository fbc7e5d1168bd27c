// Copied into an empty project: imports every entry point of the packages named, test kits too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

for (const name of process.argv.slice(2)) {
  const { exports } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
  for (const [subPath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    const names = Object.keys(await import(name + subPath.slice(1)));
    const hasTypes = /^export /m.test(readFileSync(join('node_modules', name, target.types), 'utf8'));
    assert.ok(names.length > 0 || hasTypes, `${name} ${subPath} exports nothing`);
  }
}
