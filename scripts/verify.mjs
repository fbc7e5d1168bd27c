// The long suites: `npm run verify`, or `npm run verify -- <name> [<name> ...]`; with `--whole` in their whole size, else in a share of it.
// A suite is a file packages/<package>/verify/<name>.verify.ts. Its first comment may name system tools: `// needs: strace rg`.
// Two run at a time, since many mostly wait; one with a line `// alone: <reason>` runs by itself.
import { globSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool, toolPath } from './checks/find-tool.mjs';
import { eachOf, run } from './checks/steps.mjs';

const root = process.env.VERIFY_ROOT ?? dirname(dirname(fileURLToPath(import.meta.url)));
const LANES = 2;
const strict = process.env.CI === 'true' || process.env.VERIFY_STRICT === '1';
const given = process.argv.slice(2);
if (given.includes('--whole')) process.env.VERIFY_WHOLE = '1'; // read where suites ask how often: verify/support/tally.ts of @x/session
process.exitCode = await main(given.filter((one) => one !== '--whole'));

async function main(wanted) {
  const suites = findSuites();
  if (suites.length === 0) return complain('No suite found: packages/*/verify/*.verify.ts');
  const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name));
  const names = suites.map(({ name }) => name).join(', ');
  if (unknown.length > 0) return complain(`No suite '${unknown.join("', '")}'. Suites: ${names}`);

  const counts = { passed: 0, failed: 0, skipped: 0 };
  const reasons = new Map();
  const chosen = suites.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  for (const isAlone of [true, false]) {
    const together = chosen.filter((suite) => suite.isAlone === isAlone);
    await eachOf(together, isAlone ? 1 : LANES, async (suite) => {
      const { verdict, output } = await runSuite(suite);
      if (verdict === 'failed') reasons.set(suite.name, reasonsIn(output));
      counts[verdict] += 1;
    });
  }
  if (counts.skipped > 0) console.log(`${counts.skipped} skipped, see above`);
  // Last, so that no length of output hides it.
  for (const [name, faults] of reasons) console.log(`${name}:\n${faults.join('\n')}`);
  if (reasons.size > 0) console.log(`failed: ${[...reasons.keys()].join(', ')}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed > 0 ? 1 : 0;
}

/** The table of suites: name, command, system tools, whether it runs by itself. */
function findSuites() {
  const files = globSync('packages/*/verify/*.verify.ts', { cwd: root }).toSorted();
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return {
      name: basename(file, '.verify.ts'),
      command: [process.execPath, ['--conditions=@x/source', '--no-warnings', join(root, file)]],
      needs: toolsNamedIn(text),
      isAlone: /^\/\/ alone: \S/m.test(text),
      file: relative(root, join(root, file)),
    };
  });
}

function toolsNamedIn(text) {
  const [comment = ''] = /^\s*\/\/.*$/m.exec(text) ?? [];
  const [, names = ''] = /needs:\s*(.*)$/.exec(comment) ?? [];
  return names.split(/[\s,]+/).filter(Boolean);
}

async function runSuite({ name, command, needs, file }) {
  const title = `\n== ${name} (${file})\n`;
  const missing = needs.filter((tool) => !findTool(tool));
  if (missing.length > 0) {
    const reason = `${missing.join(', ')} not found on PATH`;
    const said = strict ? `FAIL ${name}: ${reason}, and nothing may be skipped here` : `SKIP ${name}: ${reason}`;
    console.log(title + said);
    return { verdict: strict ? 'failed' : 'skipped', output: said };
  }
  console.log(`.. ${name} begins`); // a suite that hangs is known by it
  const start = performance.now();
  const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), toolPath()].join(delimiter) };
  const ended = await run(...command, { cwd: root, env }).catch((reason) => reason);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const failed = ended instanceof Error;
  const output = failed ? (ended.output ?? '') : ended;
  const last = failed ? `FAIL ${name} after ${seconds} s: ${ended.message}` : `ok ${name} in ${seconds} s`;
  console.log(title + output + last); // at once: another suite may be at work
  return { verdict: failed ? 'failed' : 'passed', output };
}

/** What a suite said that failed, with what stands indented below; where it names nothing, its last lines. */
function reasonsIn(output) {
  const lines = output.trimEnd().split('\n');
  const named = lines.flatMap((line, index) =>
    /^ *(FAILED|FAIL|not ok)\b|^\w*Error\b/.test(line) ? lines.slice(index, index + 3) : [],
  );
  return (named.length > 0 ? named : lines.slice(-5)).slice(0, 12).map((line) => `  ${line.slice(0, 300)}`);
}

function complain(message) {
  console.error(message);
  return 1;
}
