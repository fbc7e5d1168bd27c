import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  codeOf,
  makeDirectory,
  NoFile,
  namesIn,
  readSmallFile,
  removeAbandoned,
  removeFile,
  replaceFile,
  syncDirectory,
} from './durable-file.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const platform = Object.getOwnPropertyDescriptor(process, 'platform')!; // every process has one

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
});
afterEach(async () => {
  Object.defineProperty(process, 'platform', platform);
  await rm(folder, { recursive: true });
});
const at = (...names: string[]) => join(folder, ...names);

describe('replaceFile', () => {
  it('leaves no half-written file behind when it fails', async () => {
    await mkdir(at('taken'));

    await expect(replaceFile(folder, 'taken', bytes('new'))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(folder)).toEqual(['taken']);
  });

  it('writes for its user only', async () => {
    await replaceFile(folder, 'a', bytes('old'));
    await replaceFile(folder, 'a', bytes('new'));

    expect(await readFile(at('a'), 'utf8')).toBe('new');
    expect((await stat(at('a'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a']);
  });
});

describe('removeFile', () => {
  it('says whether there was one', async () => {
    await writeFile(at('a'), '');

    expect(await removeFile(folder, 'a')).toBe(true);
    expect(await removeFile(folder, 'a')).toBe(false);
  });

  it('fails where what is there cannot be removed', async () => {
    await mkdir(at('a'));

    await expect(removeFile(folder, 'a')).rejects.toMatchObject({ syscall: 'unlink' });
    expect(await readdir(folder)).toEqual(['a']);
  });
});

describe('readSmallFile', () => {
  it('reads up to its limit, and nothing where there is no file', async () => {
    await writeFile(at('a'), 'four');

    expect(await readSmallFile(at('a'), 4)).toEqual(Buffer.from('four'));
    expect(await readSmallFile(at('b'), 4)).toBeUndefined();
    await expect(readSmallFile(at('a'), 3)).rejects.toThrow(new NoFile('it has 4 bytes; at most 3 are read'));
  });

  it('reads neither a link nor a directory', async () => {
    await writeFile(at('a'), 'four');
    await symlink('a', at('link'));
    await mkdir(at('directory'));

    for (const name of ['link', 'directory']) {
      await expect(readSmallFile(at(name), 4)).rejects.toThrow(new NoFile('it is not a regular file'));
    }
  });

  it('passes on any other failure of the system', async () => {
    await writeFile(at('a'), '');

    await expect(readSmallFile(at('a', 'below'), 4)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('removeAbandoned', () => {
  it('removes what was begun long ago, and nothing else', async () => {
    const [old, young, own] = ['.role-tmp-old', '.role-tmp-young', 'role-old.json'] as const;
    const longAgo = new Date(Date.now() - 11 * 60_000);
    for (const name of [old, young, own]) await writeFile(at(name), '');
    for (const name of [old, own]) await utimes(at(name), longAgo, longAgo);

    await removeAbandoned(folder, [old, young, own, '.role-tmp-gone']);

    expect((await readdir(folder)).sort()).toEqual([young, own]);
  });
});

describe('namesIn', () => {
  it('are none where there is no directory, and fail where there is something else', async () => {
    await writeFile(at('a'), '');

    expect(await namesIn(folder)).toEqual(['a']);
    expect(await namesIn(at('none'))).toEqual([]);
    await expect(namesIn(at('a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('makeDirectory', () => {
  it('makes it and those above for its user only, and takes one that is there', async () => {
    await makeDirectory(at('a', 'b'));
    await makeDirectory(at('a', 'b'));

    for (const path of [at('a'), at('a', 'b')]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it('makes it once, however many ask at once', async () => {
    const asked = Array.from({ length: 8 }, () => makeDirectory(at('a', 'b', 'c')));

    await expect(Promise.all(asked)).resolves.toHaveLength(8);
    expect((await stat(at('a', 'b', 'c'))).isDirectory()).toBe(true);
  });

  it.each<[string, () => Promise<unknown>, readonly string[], string]>([
    ['a file has the name', () => writeFile(at('a'), ''), ['a'], 'EEXIST'],
    ['a link that leads nowhere has the name', () => symlink('nowhere', at('a')), ['a'], 'EEXIST'],
    ['a file is above it', () => writeFile(at('a'), ''), ['a', 'b'], 'ENOTDIR'],
    ['the name is too long', async () => undefined, ['a', 'x'.repeat(300)], 'ENAMETOOLONG'],
  ])('fails where %s', async (_, prepare, names, code) => {
    await prepare();

    await expect(makeDirectory(at(...names))).rejects.toMatchObject({ code });
  });
});

describe('codeOf', () => {
  it('is that of an error of the system, and nothing of what is no error', () => {
    expect(codeOf(Object.assign(new Error('no'), { code: 'EIO' }))).toBe('EIO');
    expect(codeOf(new Error('no'))).toBeUndefined();
    expect(codeOf({ code: 'EIO' })).toBeUndefined();
  });
});

describe('syncDirectory', () => {
  it.skipIf(process.platform === 'win32')(
    'opens nothing on Windows, where directories cannot be opened (shown elsewhere, where they can)',
    async () => {
      await expect(syncDirectory(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });

      Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });

      await expect(syncDirectory(at('none'))).resolves.toBeUndefined();
    },
  );
});
