// Copied into an empty project in which one package was installed: runs those examples of its README that need nothing else, and looks
// at what came along.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [name] = process.argv.slice(2);
const most = 14;
const tooMuch =
  /^(openai|hono|undici|zod|@anthropic-ai\/|@google\/|@hono\/|@modelcontextprotocol\/|@x\/(models|session|http|mcp|agent-sdk)$)/;

const installed = readdirSync('node_modules').flatMap((entry) => {
  if (entry.startsWith('.')) return [];
  return entry.startsWith('@') ? readdirSync(join('node_modules', entry)).map((one) => `${entry}/${one}`) : [entry];
});
assert.deepEqual(
  installed.filter((one) => tooMuch.test(one)),
  [],
  `${name} brings what it has no use for`,
);
assert.ok(installed.length <= most, `${name} brings ${installed.length} packages: ${installed.join(', ')}`);

const isThere = (specifier) =>
  specifier.startsWith('node:') || existsSync(join('node_modules', specifier.split('/', 2).join('/')));
const readme = readFileSync(join('node_modules', name, 'README.md'), 'utf8');
const blocks = Array.from(readme.matchAll(/^```ts[^\n]*\n(.*?)^```$/gms), ([, code]) => code).filter((code) =>
  Array.from(code.matchAll(/ from '([^']+)'/g), ([, specifier]) => specifier).every(isThere),
);
assert.ok(blocks.length > 0, `no example of ${name} runs with ${name} alone`);
for (const [index, code] of blocks.entries()) {
  writeFileSync(`readme-${index}.mts`, code);
  execFileSync(process.execPath, ['--no-warnings', `readme-${index}.mts`], { stdio: 'pipe' });
}
