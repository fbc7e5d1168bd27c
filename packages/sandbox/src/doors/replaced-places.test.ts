import { link, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doorKinds } from '../../test/door-kinds.ts';
import type { FileDoors } from './file-doors.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'doors-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(Object.entries(doorKinds))('%s (of Linux only there)', (_, kind) => {
  let doors: FileDoors;
  beforeEach(() => {
    doors = kind.make(root);
  });

  describe('a place that was looked at', () => {
    const bound = { noFollow: true };
    let place: (path: string) => string;
    beforeEach(async () => {
      place = (path) => join(root, 'dir', path);
      for (const path of ['dir/a', 'outside/a', 'outside/b']) await doors.writeFile(path, bytes(path));
    });
    const becomesLink = async () => {
      await rename(join(root, 'dir'), join(root, 'kept'));
      await symlink('outside', join(root, 'dir'));
    };
    const names = async (path: string) => {
      const found: string[] = [];
      for await (const { name: one } of doors.list(path, bound)) found.push(one);
      return found.toSorted();
    };
    const uses: Readonly<Record<string, () => Promise<unknown>>> = {
      readFile: () => doors.readFile(place('a'), bound),
      'writeFile of an old file': () => doors.writeFile(place('a'), bytes('x'), bound),
      'writeFile of a new file': () => doors.writeFile(place('new/deep'), bytes('x'), bound),
      makeLink: () => doors.makeLink(place('link'), 'a', bound),
      makeDirectory: () => doors.makeDirectory(place('made/deep'), bound),
      remove: () => doors.remove(place('b'), bound),
      stat: () => doors.stat(place('a'), bound),
      list: () => names(place('.')),
    };

    it.each(Object.keys(uses))('is left alone by %s when a directory in it has become a link', async (use) => {
      await becomesLink();

      await expect(uses[use]!()).rejects.toMatchObject({
        code: 'PATH_CHANGED',
        message: expect.stringMatching(/look at the path again/),
      });

      expect(await readdir(join(root, 'outside'))).toEqual(['a', 'b']);
      expect(await readFile(join(root, 'outside/a'), 'utf8')).toBe('outside/a');
      expect(await readdir(join(root, 'kept'))).toEqual(['a']);
    });

    it('is used as ever while it is what it was', async () => {
      await doors.writeFile(place('b'), bytes('b'));

      for (const use of Object.values(uses)) await use();

      expect(await names(place('.'))).toEqual(['a', 'link', 'made', 'new']);
      expect(await doors.stat(place('link'), bound)).toMatchObject({ kind: 'symlink' });
    });

    it('is left alone when the file itself has become a link', async () => {
      await rm(place('a'));
      await symlink('../outside/a', place('a'));

      await expect(doors.readFile(place('a'), bound)).rejects.toMatchObject({ code: 'PATH_CHANGED' });
      await expect(doors.writeFile(place('a'), bytes('x'), bound)).rejects.toMatchObject({ code: 'PATH_CHANGED' });
      expect(await readFile(join(root, 'outside/a'), 'utf8')).toBe('outside/a');
    });

    it('would be followed out without being meant as one (control)', async () => {
      await becomesLink();

      await doors.writeFile(place('a'), bytes('x'));

      expect(await readFile(join(root, 'outside/a'), 'utf8')).toBe('x');
    });
  });

  describe('a file with several names', () => {
    it('is split when all of them are in the working directory', async () => {
      await doors.writeFile('a', bytes('old'));
      await mkdir(join(root, 'deep'));
      await link(join(root, 'a'), join(root, 'deep/b'));

      await doors.writeFile('a', bytes('new'));

      expect(await readFile(join(root, 'deep/b'), 'utf8')).toBe('old');
    });

    it('is refused when one of them is outside, and says what to do', async () => {
      const inner = kind.make(join(root, 'work'));
      await writeFile(join(root, 'a'), 'old');
      await mkdir(join(root, 'work'));
      await link(join(root, 'a'), join(root, 'work/b'));

      await expect(inner.writeFile('b', bytes('new'))).rejects.toMatchObject({
        code: 'HARD_LINKED',
        message: expect.stringContaining('cp file copy'),
      });

      expect(await readFile(join(root, 'work/b'), 'utf8')).toBe('old');
      expect(await readdir(join(root, 'work'))).toEqual(['b']);
    });
  });
});
