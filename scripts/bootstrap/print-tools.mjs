// Started by npx with the names of tools: prints the folders in which it put them, for the caller's PATH. Parses on Node 18.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const folders = (process.env.PATH ?? '').split(delimiter);
const holds = (folder, tool) => ['', '.cmd', '.exe'].some((end) => existsSync(join(folder, tool + end)));
const holders = process.argv.slice(2).map((tool) => folders.find((folder) => holds(folder, tool)));
console.log(`x-tools:${JSON.stringify([...new Set(holders)].filter(Boolean))}`);
