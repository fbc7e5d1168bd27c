import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CommandPattern, isCovered, parseCommandPattern } from '../src/index.ts';
import { parseCommandLine } from '../src/parse.ts';

/** The lines of a file next to this one. */
const linesOf = (name: string): readonly string[] =>
  readFileSync(new URL(`command-line-sets/${name}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

interface Judged {
  readonly line: string;
  readonly isMeant: boolean;
  readonly isCovered: boolean;
}

/** Each line with the judgement that stands in front of it: whether one who wrote the rules means it. */
function judged(names: readonly string[], rules: readonly CommandPattern[]): readonly Judged[] {
  return names.flatMap(linesOf).map((text) => {
    const [judgement = '', written = ''] = text.split('\t');
    const line = written.replaceAll('\\n', '\n');
    return { line, isMeant: judgement === 'allow', isCovered: isCovered(parseCommandLine(line), rules) };
  });
}

describe.each([
  { what: 'what agents send all day', rules: 'daily-rules', files: ['daily-reading', 'daily-changing'], most: 0.08 },
  { what: 'one-liners', rules: 'one-liners-rules', files: ['one-liners-1', 'one-liners-2'], most: 0.06 },
])('a realistic list of rules, for $what', ({ rules, files, most }) => {
  const lines = judged(files, linesOf(rules).map(parseCommandPattern));
  const meant = lines.filter(({ isMeant }) => isMeant);

  it('is held against enough lines', () => {
    expect(lines.length).toBeGreaterThanOrEqual(300);
    expect(lines.length - meant.length).toBeGreaterThan(30);
  });

  it('covers no line that it does not mean', () => {
    expect(lines.filter((each) => each.isCovered && !each.isMeant).map(({ line }) => line)).toEqual([]);
  });

  it(`leaves at most ${most} of the lines it means to a question`, () => {
    expect(meant.filter((each) => !each.isCovered).length).toBeLessThanOrEqual(meant.length * most);
  });
});
