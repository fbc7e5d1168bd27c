// needs: bwrap
// Command lines of this machine's scripts, packages and makefiles, run in a box of stubs. A line that the rules allow may run nothing that
// they do not name, with no words that they do not cover; a deny rule for whatever ran must have said yes, or that it cannot tell,
// unless the line runs a script on the disk.
// Controls: a matcher that takes the first word for the line must be found out, and so must a deny rule that knows the program's name only.
// MOST=60000 (lines that are read), OTHERS=40000 (of those that are not allowed)
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type CommandLine, isCovered, mentions, parseCommandPattern } from '../src/index.ts';
import { parseCommandLine } from '../src/parse.ts';
import { collectedLines } from './support/collected-lines.ts';
import { stubBox } from './support/stub-box.ts';

const root = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
const setting = (name: string, standard: number) => Number(process.env[name] ?? standard);
const sets = ['daily-rules', 'one-liners-rules'].map(
  (name) => new URL(`../test/command-line-sets/${name}.txt`, import.meta.url),
);
const rules = [...new Set(sets.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n')))].map(
  parseCommandPattern,
);

const all = collectedLines(root);
const step = Math.max(1, Math.floor(all.length / setting('MOST', 60_000)));
const parsed = all.filter((_, at) => at % step === 0).map(parseCommandLine);
const allowed = parsed.filter((line) => isCovered(line, rules));
const others = parsed.filter((line) => !isCovered(line, rules) && line.error === undefined);
const stride = Math.max(1, Math.floor(others.length / setting('OTHERS', 40_000)));
const tried = [...allowed, ...others.filter((_, at) => at % stride === 0)];
console.log(
  `${all.length} lines found, ${parsed.length} read, ${allowed.length} allowed by ${rules.length} rules, ${tried.length} run`,
);

const named = parsed.flatMap(({ commands }) => commands.flatMap(({ words }) => words[0]?.split('/').at(-1) ?? []));
const box = stubBox([...named, ...['/usr/bin', '/usr/sbin'].flatMap((place) => readdirSync(place))]);
const ran = await runAll(tried.map(({ text }) => text));
box.remove();

let programs = 0;
const faults: string[] = [];
const controls = { first: 0, name: 0 };
for (const [at, line] of tried.entries()) {
  const isAllowed = at < allowed.length;
  for (const words of ran[at] ?? []) {
    programs += 1;
    const name = words[0] ?? '';
    const program = parseCommandPattern(quoted(name));
    if (isAllowed && !isAllowedCommand(words)) faults.push(`allowed, and ran ${JSON.stringify(words)}: ${line.text}`);
    if (mentions(line, program) === 'no' && !readsScript(line))
      faults.push(`a deny rule for ${name} said no: ${line.text}`);
    if (!isAllowed && isNaive(line) && !isAllowedCommand(words)) controls.first += 1;
    if (!line.text.split(/[\s;|&()]+/).includes(name)) controls.name += 1;
  }
}
console.log(
  `${programs} programs ran, ${faults.length} faults; controls: ${controls.first} by the first word, ${controls.name} by the name`,
);
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault.slice(0, 400)}`);
if (parsed.length < 20_000) console.log(`FAIL only ${parsed.length} lines were found, 20,000 are needed`);
if (controls.first === 0 || controls.name === 0) console.log('FAIL a control was not noticed');
process.exitCode = faults.length > 0 || parsed.length < 20_000 || controls.first === 0 || controls.name === 0 ? 1 : 0;

/** Whether the line runs a file of shell text, of which a rule knows nothing. */
function readsScript({ commands }: CommandLine): boolean {
  return commands.some(
    ({ words: [name = '', file] }) =>
      name.includes('/') || (/^(\.|source|(ba|da)?sh)$/.test(name) && file !== undefined),
  );
}

/** What ran, as a line of its own; `cat` without words is that of a here-document that stands for a text. */
function isAllowedCommand(words: readonly string[]): boolean {
  return words.join(' ') === 'cat' || isCovered(parseCommandLine(words.map(quoted).join(' ')), rules);
}

function isNaive({ text }: CommandLine): boolean {
  const first = /^[\w.-]+/.exec(text)?.[0];
  return first !== undefined && isCovered(parseCommandLine(first), rules);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** In boxes of 500 lines, one for each processor at a time. */
async function runAll(lines: readonly string[]): Promise<readonly (readonly (readonly string[])[])[]> {
  const batches = Array.from({ length: Math.ceil(lines.length / 500) }, (_, at) =>
    lines.slice(at * 500, at * 500 + 500),
  );
  const results: (readonly (readonly (readonly string[])[])[])[] = [];
  const pending = [...batches.entries()];
  const work = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) results[next[0]] = await box.run(next[1]);
  };
  await Promise.all(Array.from({ length: Math.max(2, cpus().length) }, work));
  return results.flat();
}
