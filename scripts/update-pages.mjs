// Writes the pages of @x/http, packages/http/page, as texts into its sources, so that they are in the package and need no file at run time:
// `node scripts/update-pages.mjs`. packages/http/test/inspector/page-files.test.ts fails when they differ.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../packages/http/', import.meta.url);

/** The text of the module that holds all files of the folder. */
export function pageModule() {
  const names = readdirSync(new URL('page/', root)).toSorted();
  const lines = names.map((name) => {
    const text = readFileSync(new URL(`page/${name}`, root), 'utf8');
    return `  ${JSON.stringify(name)}: ${JSON.stringify(text)},`;
  });
  return [
    '// Made by scripts/update-pages.mjs from packages/http/page; change the files there.',
    '',
    '/** The files of the pages for people, by name. */',
    `export const pageFiles: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('src/pages/page-files.ts', root), pageModule());
}
