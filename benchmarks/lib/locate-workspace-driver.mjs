import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { libraryFile, ROOT } from './paths.mjs';
import { runNode } from './run-node.mjs';

/**
 * A driver of ours runs where it lies and finds the package as an installed user would: built, through its `exports`.
 * @param {import('./driver-catalog.mjs').Driver} driver
 * @returns {Promise<string>} the driver's file
 * @throws when the package is not linked, not built or cannot be imported, saying what to do
 */
export async function locateWorkspaceDriver(driver) {
  const { workspace } = driver;
  const resolved = await runNode(['--input-type=module', '--eval', printResolved(workspace)], { folder: ROOT });
  if (!resolved.url) throw new Error(`${workspace} cannot be found from benchmarks/: run \`pnpm install\``);
  const entry = fileURLToPath(resolved.url);
  if (!existsSync(entry)) throw new Error(`${workspace} is not built, there is no ${entry}: run \`pnpm build\``);
  // Sources would add the time to strip their types to every import.
  if (entry.endsWith('.ts')) throw new Error(`${workspace} resolves to its source ${entry}, not to what is built`);
  const file = join(ROOT, 'drivers', driver.file);
  const { error } = await runNode([libraryFile('import-only.mjs'), file], { folder: ROOT });
  if (error) throw new Error(`it cannot be imported, perhaps \`pnpm build\` is due: ${firstLines(error)}`);
  return file;
}

// Resolved in a child: a condition given to this process must not decide what the children will find. Code given by
// --eval resolves from the working directory.
function printResolved(specifier) {
  return `console.log('\\n@@' + JSON.stringify({ url: import.meta.resolve(${JSON.stringify(specifier)}) }))`;
}

function firstLines(text) {
  return text.split('\n').slice(0, 8).join('\n');
}
