import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './parse.ts';

/** The commands of a line that something else runs, as `what runs it: its words`; a word that is not known is `?`. */
const runs = (line: string): string[] =>
  parseCommandLine(line)
    .commands.filter(({ via }) => via !== undefined)
    .map(({ words, via }) => `${via}: ${words.map((word) => word ?? '?').join(' ')}`);

describe('parseCommandLine, for text that is handed to a shell', () => {
  it.each<[string, string[], string[]]>([
    ["eval -- 'make x'", ['eval: make x'], []],
    ['source -- f a', ['source: f a'], []],
    ['. -- "$f"', [], ['. reads what an expansion names']],
    ['source', [], []],
    ['bash -- f', ['bash: f'], []],
    ['bash -- $f', [], ['bash runs what an expansion names']],
    ['bash -H f', ['bash: f'], ['later lines of bash are changed by the history']],
    ["bash -Hc 'make x'", ['bash: make x'], ['later lines of bash are changed by the history']],
    ["bash --rcfile f -c 'make x'", ['bash: make x'], ['bash starts with a file of its own']],
    ["bash --rcfile=f -c 'make x'", ['bash: make x'], ['bash starts with a file of its own']],
    ['bash --init-file f g', ['bash: g'], ['bash starts with a file of its own']],
    ['bash --init-file=f g', ['bash: g'], ['bash starts with a file of its own']],
    ['bash --norc f', ['bash: f'], []],
    ['bash --version', [], []],
  ])('%s runs %j, and what is not known is %j', (line, expected, unknown) => {
    expect(runs(line)).toEqual(expected);
    expect(parseCommandLine(line).unknown).toEqual(unknown);
  });
});

describe('parseCommandLine, for programs that run their arguments', () => {
  it.each<[string, string[]]>([
    ['env --null make', ['env: make']],
    ['env --unset A make', ['env: make']],
    ['env --unset=A make', ['env: make']],
    ['sudo --background make', ['sudo: make']],
    ['sudo --user me --stdin make', ['sudo: make']],
    ['xargs make', ['xargs: make ?']],
    ['xargs -I{} make {} a{}', ['xargs: make ? ? ?']],
    ['xargs -I % make % {}', ['xargs: make ? {} ?']],
    ['xargs -0I% make %', ['xargs: make ? ?']],
    ["xargs -I '' make {} a", ['xargs: make ? a ?']],
    ['xargs -n 1 make {}', ['xargs: make {} ?']],
  ])('%s runs %j', (line, expected) => {
    expect(runs(line)).toEqual(expected);
    expect(parseCommandLine(line).unknown).toEqual([]);
  });
});
