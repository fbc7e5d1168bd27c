import { afterAll, describe, expect, it } from 'vitest';
import { isCovered, mentions, parseCommandPattern } from '../src/index.ts';
import { parseCommandLine } from '../src/parse.ts';
import { bashPath, hasBash, type StubbedBash, stubbedBash } from './bash-stubs.ts';
import { caseGroups } from './command-line-cases.ts';
import { eachPlace, nestedLine } from './nested-lines.ts';
import { mutated, pick, type Random, randomLine, seeded } from './random-lines.ts';

const git = parseCommandPattern('git *');
const curl = parseCommandPattern('curl *');
const real = ['bash', 'sh', 'env', 'timeout', 'nice', 'nohup', 'stdbuf', 'setsid', 'find', 'xargs'];

// What bash does is asked of bash itself.
describe.skipIf(!hasBash)(`against ${bashPath} with stub programs (skipped where it is missing)`, () => {
  const opened: StubbedBash[] = [];
  const open = (stubs: readonly string[], programs?: readonly string[]): StubbedBash => {
    const shell = stubbedBash(stubs, programs);
    opened.push(shell);
    return shell;
  };
  afterAll(() => {
    for (const shell of opened) shell.remove();
  });

  it('runs only the commands that are read from a covered line, which are git, and writes nothing', () => {
    const shell = open(['git', 'curl', 'x', 'status'], ['cat']);
    const covered = coveredLines(seeded(11), 60);

    const strays = covered.filter((line) => {
      const { ran, wrote } = shell.run(line);
      const { own } = parseCommandLine(line);
      const isLoose = own.some(({ words }) => words.some((word) => typeof word !== 'string'));
      const read = new Set(own.map(({ words }) => JSON.stringify(words)));
      return wrote || ran.some((words) => words[0] !== 'git' || !(isLoose || read.has(JSON.stringify(words))));
    });

    expect(covered).toHaveLength(60);
    expect(strays).toEqual([]);
  }, 60_000);

  it('finds curl in every place where bash runs it', () => {
    const shell = open(['git', 'curl'], real);
    const random = seeded(12);
    const lines = [...eachPlace(), ...Array.from({ length: 60 }, () => nestedLine(random))];

    const run = lines.filter((line) => shell.run(line).ran.some(([name]) => name === 'curl'));

    expect(run.length).toBeGreaterThan(lines.length * 0.6);
    expect(run.filter((line) => mentions(parseCommandLine(line), curl) !== 'yes')).toEqual([]);
    expect(run.filter((line) => isCovered(parseCommandLine(line), [git]))).toEqual([]);
  }, 60_000);
});

/** Different lines that are covered, from random ones and from changed ones of the table. */
function coveredLines(random: Random, count: number): readonly string[] {
  const plain = caseGroups.flatMap(({ lines }) => lines).filter((line) => line.length < 200);
  const found = new Set<string>();
  while (found.size < count) {
    const line = random(3) === 0 ? randomLine(random) : mutated(random, mutated(random, pick(random, plain)));
    if (isCovered(parseCommandLine(line), [git])) found.add(line);
  }
  return [...found];
}
