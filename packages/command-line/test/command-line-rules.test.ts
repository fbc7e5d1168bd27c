import { describe, expect, it } from 'vitest';
import { isCovered, mentions, parseCommandPattern } from '../src/index.ts';
import { parseCommandLine } from '../src/parse.ts';
import { caseGroups } from './command-line-cases.ts';

const git = parseCommandPattern('git *');
const curl = parseCommandPattern('curl *');
const rm = parseCommandPattern('rm *');

describe.each(caseGroups)('$title', (group) => {
  it.each(group.lines.map((line) => [line] as const))('%j', (text) => {
    const line = parseCommandLine(text);

    expect({
      covered: isCovered(line, [git]),
      curl: mentions(line, curl),
      rm: mentions(line, rm),
    }).toEqual({ covered: group.covered, curl: group.curl, rm: group.rm });
  });
});

describe('the table of lines', () => {
  it('is long enough to mean something', () => {
    expect(caseGroups.flatMap(({ lines }) => lines).length).toBeGreaterThan(400);
  });

  it('fails a matcher of prefixes in every group but the plain one', () => {
    const naive = (line: string) => ({
      covered: /^git( |$)/.test(line),
      curl: /(^|\s)curl( |$)/.test(line) ? 'yes' : 'no',
    });

    const failed = caseGroups.filter((group) =>
      group.lines.some((line) => naive(line).covered !== group.covered || naive(line).curl !== group.curl),
    );

    expect(failed.length).toBeGreaterThanOrEqual(caseGroups.length - 1);
  });
});
