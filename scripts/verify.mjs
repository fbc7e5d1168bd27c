// The long suites: `npm run verify`, or `npm run verify -- <name> [<name> ...]`.
// A suite is a file packages/<package>/verify/<name>.verify.ts. Its first comment may name system tools: `// needs: strace rg`.
import { globSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool } from './checks/find-tool.mjs';
import { run } from './checks/steps.mjs';

const root = process.env.VERIFY_ROOT ?? dirname(dirname(fileURLToPath(import.meta.url)));
const strict = process.env.CI === 'true' || process.env.VERIFY_STRICT === '1';
process.exitCode = await main(process.argv.slice(2));

async function main(wanted) {
  const suites = findSuites();
  if (suites.length === 0) return complain('No suite found: packages/*/verify/*.verify.ts');
  const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name));
  const names = suites.map(({ name }) => name).join(', ');
  if (unknown.length > 0) return complain(`No suite '${unknown.join("', '")}'. Suites: ${names}`);

  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of suites) {
    if (wanted.length === 0 || wanted.includes(suite.name)) counts[await runSuite(suite)] += 1;
  }
  if (counts.skipped > 0) console.log(`${counts.skipped} skipped, see above`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed > 0 ? 1 : 0;
}

/** The table of suites: name, command, system tools. */
function findSuites() {
  const files = globSync('packages/*/verify/*.verify.ts', { cwd: root }).toSorted();
  return files.map((file) => ({
    name: basename(file, '.verify.ts'),
    command: [process.execPath, ['--conditions=@x/source', '--no-warnings', join(root, file)]],
    needs: toolsNamedIn(readFileSync(join(root, file), 'utf8')),
    file: relative(root, join(root, file)),
  }));
}

function toolsNamedIn(text) {
  const [comment = ''] = /^\s*\/\/.*$/m.exec(text) ?? [];
  const [, names = ''] = /needs:\s*(.*)$/.exec(comment) ?? [];
  return names.split(/[\s,]+/).filter(Boolean);
}

async function runSuite({ name, command, needs, file }) {
  console.log(`\n== ${name} (${file})`);
  const missing = needs.filter((tool) => !findTool(tool));
  if (missing.length > 0) {
    const reason = `${missing.join(', ')} not found on PATH`;
    console.log(strict ? `FAIL ${name}: ${reason}, and nothing may be skipped here` : `SKIP ${name}: ${reason}`);
    return strict ? 'failed' : 'skipped';
  }
  const start = performance.now();
  const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) };
  const error = await run(...command, { cwd: root, env, stream: true }).catch((reason) => reason);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const failed = error instanceof Error;
  console.log(failed ? `FAIL ${name} after ${seconds} s: ${error.message}` : `ok ${name} in ${seconds} s`);
  return failed ? 'failed' : 'passed';
}

function complain(message) {
  console.error(message);
  return 1;
}
