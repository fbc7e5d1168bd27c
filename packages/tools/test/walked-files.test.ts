import { execFileSync, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { hostWorkspace } from '@x/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { walkFiles } from '../src/files/walk-files.ts';
import { fileNames, hostTrees } from './host-trees.ts';

const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
const { signal } = new AbortController();
const { tree, close } = hostTrees();

afterAll(close);

describe.runIf(hasRipgrep)('with ripgrep (skipped where rg is not installed)', () => {
  const path = fc.array(fileNames, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));

  const rule = fc.constantFrom(
    'a',
    '/a',
    'a/',
    '*.log',
    '!a.log',
    'src/*',
    '/src/*',
    '!src/x.ts',
    '**/b',
    'src/**',
    'a/**/b',
    '!/a',
    '.*',
    '*',
    '!src',
    '!*/',
    '# a',
    '',
    'x.[tj]s',
    'x.?s',
    '/*/a',
    '!**/a.log',
    'b\\ c',
    'src//a',
    '[ab]',
    '[!a]',
    'a*/',
    '*.ts  ',
  );
  const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join('\n'));
  const trees = fc.record({
    paths: fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
    ignored: fc.dictionary(fc.constantFrom('', 'src/', 'a/', 'a/src/'), rules, { maxKeys: 3 }),
  });

  test.prop([trees], { numRuns: 100 })('walks over the files that rg --files lists', async ({ paths, ignored }) => {
    const files = Object.fromEntries(withoutClashes(paths).map((each) => [`${each}/f`, '']));
    const ignores = Object.entries(ignored).map(([directory, text]) => [`${directory}.gitignore`, text]);
    const directory = tree({ ...files, ...Object.fromEntries(ignores.filter(([place]) => !clashes(place!, files))) });

    const walked: string[] = [];
    for await (const entry of walkFiles({ workspace: hostWorkspace({ cwd: directory }), root: directory, signal })) {
      walked.push(entry.path);
    }

    const flags = [
      '--no-config',
      '--threads=1',
      '--files',
      '--hidden',
      '--no-require-git',
      '--no-ignore-global',
      '--no-ignore-parent',
    ];
    const listed = spawnSync('rg', [...flags, '--no-ignore-dot', '--no-ignore-exclude'], {
      cwd: directory,
      encoding: 'utf8',
    });
    expect(walked).toEqual(
      listed.stdout
        .split('\n')
        .filter((each) => each !== '')
        .sort(),
    );
  });
});

describe.runIf(spawnSync('git', ['--version']).status === 0)('with git (skipped where git is not installed)', () => {
  it('walks over the files that git would add', async () => {
    const cwd = tree({
      '.gitignore': 'build/\n*.log\n!keep.log\n/only-here\nnested/**/deep\nsp\\ ace\nx[0-9]\n',
      'build/a': '',
      'a.log': '',
      'keep.log': '',
      'only-here': '',
      'sub/only-here': '',
      'sub/build/b': '',
      'nested/deep/c': '',
      'nested/a/b/deep/c': '',
      'nested/kept': '',
      'sp ace': '',
      x1: '',
      xx: '',
      'sub/.gitignore': '!*.log\n/local\n',
      'sub/z.log': '',
      'sub/local': '',
      'sub/sub/local': '',
    });
    execFileSync('git', ['init', '--quiet'], { cwd });
    const listed = execFileSync('git', ['ls-files', '--others', '--exclude-standard', '-z'], { cwd, encoding: 'utf8' });

    const walked: string[] = [];
    for await (const { path } of walkFiles({ workspace: hostWorkspace({ cwd }), root: cwd, signal })) walked.push(path);

    expect(walked).toEqual(
      listed
        .split('\0')
        .filter((each) => each !== '')
        .sort(),
    );
  });
});

/** A path that another one needs as a directory is left out. */
function withoutClashes(paths: readonly string[]): string[] {
  return paths.filter((each) => !paths.some((other) => other !== each && `${each}/f` === other));
}

function clashes(place: string, files: Readonly<Record<string, string>>): boolean {
  const directory = dirname(place);
  return directory !== '.' && Object.keys(files).some((file) => file === directory);
}
