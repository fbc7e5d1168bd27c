import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { missingFile } from './missing-file.ts';

const told = (path: string, ...names: readonly string[]) =>
  missingFile(memoryWorkspace({ files: Object.fromEntries(names.map((name) => [name, ''])) }), path);
const absent = 'does not exist (relative paths start at /workspace).';

describe('missingFile', () => {
  it.each<[string, string, readonly string[], string]>([
    ['with one letter changed', 'erors.ts', ['errors.ts', 'other.ts'], ' Did you mean errors.ts?'],
    ['with another extension', 'config.yml', ['config.yaml', 'other.yaml'], ' Did you mean config.yaml?'],
    ['written in other cases', 'readme.md', ['README.md'], ' Did you mean README.md?'],
    ['the nearest first', 'errors.ts', ['eros.ts', 'error.ts'], ' Did you mean error.ts or eros.ts?'],
    ['as near as each other, in their order', 'ab1', ['ab4', 'ab2', 'ab3'], ' Did you mean ab2 or ab3 or ab4?'],
    ['three at most', 'ab1', ['ab5', 'ab4', 'ab3', 'ab2'], ' Did you mean ab2 or ab3 or ab4?'],
    ['none that is far', 'a.txt', ['something else'], ''],
  ])('names what is there: %s', async (_, path, names, hint) => {
    expect(await told(path, ...names)).toBe(`${path} ${absent}${hint}`);
  });

  it('prefers the same name in other cases to the same stem', async () => {
    expect(await told('A.TXT', 'A.md', 'a.txt')).toBe(`A.TXT ${absent} Did you mean a.txt or A.md?`);
  });

  it('says that the directory is missing as well', async () => {
    expect(await told('src/a.txt', 'other/a.txt')).toBe(
      'src/a.txt does not exist; neither does the directory /workspace/src.',
    );
  });

  it('looks at no more than 5000 names', async () => {
    let seen = 0;
    const workspace = memoryWorkspace();
    const endless = async function* () {
      for (;;) yield { name: `other${seen++}`, kind: 'file' as const };
    };

    expect(await missingFile({ ...workspace, list: endless }, 'a.txt')).toBe(`a.txt ${absent}`);
    expect(seen).toBe(5_000);
  });
});
